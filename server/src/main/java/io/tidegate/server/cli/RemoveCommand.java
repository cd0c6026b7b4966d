package io.tidegate.server.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.tidegate.engine.store.FileStateStore;
import io.tidegate.server.config.ConfiguredPipeline;
import io.tidegate.server.json.Json;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.Source;
import io.tidegate.spi.TidegateException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Drops what a pipeline made in the user's database. Holds the pipeline's state meanwhile, so that it cannot run. */
@Command(
        name = "remove",
        description = "Drops what the pipeline made in the source's database, such as its slot. Asks before.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  tidegate remove orders.yaml         Shows what would be dropped, asks, drops.",
            "  tidegate remove --yes orders.yaml   Does not ask.",
            "",
            "The state folder stays; 'tidegate state reset FILE' sets it aside."
        })
final class RemoveCommand extends PrintingCommand implements Callable<Integer> {

    private final Wiring wiring;
    private final Terminal terminal;

    @Parameters(paramLabel = "FILE", description = "The pipeline's file.")
    Path file = Path.of("");

    @Option(names = "--yes", description = "Drops without asking; needed where there is no terminal.")
    boolean yes;

    @Option(names = "--json", description = "Prints a JSON object; without --yes nothing is dropped.")
    boolean json;

    RemoveCommand(Wiring wiring, Terminal terminal) {
        this.wiring = wiring;
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        ConfiguredPipeline pipeline = wiring.load(file);
        try (FileStateStore store = wiring.open(pipeline);
                Source.Removal removal = pipeline.source().removal(store.read())) {
            List<String> things = removal.describe();
            if (json) {
                if (yes) {
                    removal.execute();
                }
                ObjectNode node = Json.object().put("pipeline", pipeline.name());
                things.forEach(node.putArray("made")::add);
                out().println(Json.print(node.put("dropped", yes)));
                return 0;
            }
            if (things.isEmpty()) {
                out().println("Nothing of pipeline " + pipeline.name() + " is left in the source.");
                left(pipeline);
                return 0;
            }
            out().println("Pipeline " + pipeline.name() + " made these:");
            things.forEach(thing -> out().println("    " + thing));
            out().flush();
            if (!yes && !terminal.present()) {
                throw new TidegateException(
                        ErrorCode.CONFIG_INVALID,
                        "There is no terminal to ask at, and nothing was dropped.",
                        "Give --yes to drop what is listed.",
                        null);
            }
            if (!yes && !terminal.confirm("Drop them?")) {
                out().println("Nothing was dropped.");
                return 1;
            }
            removal.execute();
            out().println("Dropped.");
            left(pipeline);
            return 0;
        }
    }

    private void left(ConfiguredPipeline pipeline) {
        out().println("The state in " + pipeline.config().stateDir() + " stays. To set it aside: tidegate state reset "
                + pipeline.file());
    }
}
