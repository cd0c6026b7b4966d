package io.tidegate.server.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.tidegate.engine.store.FileStateStore;
import io.tidegate.server.config.ConfiguredPipeline;
import io.tidegate.server.config.FileFailure;
import io.tidegate.server.json.Json;
import io.tidegate.spi.Checkpoint;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.Position;
import io.tidegate.spi.SplitState;
import io.tidegate.spi.TidegateException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The commands about a pipeline's checkpoint. */
@Command(
        name = "state",
        description = "Shows a pipeline's checkpoint, sets it aside, carries it elsewhere.",
        footerHeading = "%nExamples:%n",
        footer = {"  tidegate state show orders.yaml", "  tidegate state export orders.yaml > orders-state.json"})
final class StateCommand extends PrintingCommand implements Runnable {

    @Override
    public void run() {
        throw new CommandLine.ParameterException(
                java.util.Objects.requireNonNull(spec).commandLine(), "Which one: show, reset, export or import?");
    }

    /** A command about the state of one pipeline. */
    abstract static class OfPipeline extends PrintingCommand implements Callable<Integer> {

        final Wiring wiring;

        @Parameters(index = "0", paramLabel = "FILE", description = "The pipeline's file.")
        Path file = Path.of("");

        OfPipeline(Wiring wiring) {
            this.wiring = wiring;
        }
    }

    @Command(
            name = "show",
            description = "Prints what the store holds; also while the pipeline runs.",
            footerHeading = "%nExamples:%n",
            footer = {"  tidegate state show orders.yaml", "  tidegate state show --json orders.yaml"})
    static final class Show extends OfPipeline {

        @Option(names = "--json", description = "Prints the document that 'state export' gives.")
        boolean json;

        Show(Wiring wiring) {
            super(wiring);
        }

        @Override
        public Integer call() {
            ConfiguredPipeline pipeline = wiring.load(file);
            if (json) {
                out().print(wiring.export(pipeline));
                out().flush();
                return 0;
            }
            Checkpoint checkpoint = wiring.show(pipeline);
            out().println("pipeline " + pipeline.name() + ", state in "
                    + pipeline.config().stateDir());
            if (checkpoint.isEmpty()) {
                out().println("no state: the pipeline has not been started");
            }
            checkpoint.source().entries().forEach((name, value) -> out().println("    " + name + " = " + value));
            for (SplitState split : checkpoint.splits()) {
                Position position = split.progress().position();
                String where = position == null
                        ? ""
                        : " at " + pipeline.source().positions().print(position);
                String progress = split.progress().done() ? " done" : position == null ? " not done" : "";
                out().println("split " + split.plan().id() + ":" + where + progress);
            }
            return 0;
        }
    }

    @Command(
            name = "reset",
            description = {
                "Sets the state aside, under other names in the same folder: the pipeline then has none.",
                "What it made in the source's database stays; only the state knows that it is ours, so run"
                        + " 'tidegate remove FILE' before. Else its slot goes on holding back log (WAL)."
            },
            footerHeading = "%nExamples:%n",
            footer = {
                "  tidegate remove orders.yaml && tidegate state reset orders.yaml",
                "  tidegate run orders.yaml            Starts anew, with a snapshot."
            })
    static final class Reset extends OfPipeline {

        @Option(names = "--json", description = "Prints a JSON object.")
        boolean json;

        Reset(Wiring wiring) {
            super(wiring);
        }

        @Override
        public Integer call() {
            ConfiguredPipeline pipeline = wiring.load(file);
            List<Path> aside = wiring.reset(pipeline);
            if (json) {
                ObjectNode node = Json.object().put("pipeline", pipeline.name());
                aside.forEach(path -> node.withArray("aside").add(path.toString()));
                out().println(Json.print(node));
                return 0;
            }
            if (aside.isEmpty()) {
                out().println("Pipeline " + pipeline.name() + " has no state in "
                        + pipeline.config().stateDir() + ".");
            } else {
                out().println("The state of pipeline " + pipeline.name() + " is set aside as:");
                aside.forEach(path -> out().println("    " + path));
            }
            out().println("What the pipeline made in the source stays. If 'tidegate remove " + file
                    + "' was not run before, its slot goes on holding back log (WAL), and the next start refuses a slot"
                    + " without its state: 'tidegate check " + file + "' names the statement that drops it.");
            return 0;
        }
    }

    @Command(
            name = "export",
            description = "Prints the state as JSON, which 'state import' reads.",
            footerHeading = "%nExamples:%n",
            footer = {"  tidegate state export orders.yaml > orders-state.json"})
    static final class Export extends OfPipeline {

        Export(Wiring wiring) {
            super(wiring);
        }

        @Override
        public Integer call() {
            out().print(wiring.export(wiring.load(file)));
            out().flush();
            return 0;
        }
    }

    @Command(
            name = "import",
            description = {
                "Makes what 'state export' printed the state of a pipeline that has none.",
                "With --force also of one that has: what is there is set aside first, as 'state reset' does it."
            },
            footerHeading = "%nExamples:%n",
            footer = {
                "  tidegate state import orders.yaml orders-state.json",
                "  tidegate state import --force orders.yaml < orders-state.json"
            })
    static final class Import extends OfPipeline {

        private static final String STDIN = "-";

        @Parameters(
                index = "1",
                arity = "0..1",
                paramLabel = "EXPORT",
                description = "The file with the exported state; standard input unless given.")
        String exported = STDIN;

        @Option(names = "--force", description = "Sets a state that is there aside.")
        boolean force;

        Import(Wiring wiring) {
            super(wiring);
        }

        @Override
        public Integer call() {
            ConfiguredPipeline pipeline = wiring.load(file);
            Checkpoint checkpoint = wiring.parseExport(pipeline, text());
            List<Path> aside = force ? wiring.reset(pipeline) : List.of();
            if (!aside.isEmpty()) { // said before the import, which may fail
                out().println("The state that was there is set aside as:");
                aside.forEach(path -> out().println("    " + path));
            }
            try (FileStateStore store = wiring.open(pipeline)) {
                store.importState(checkpoint);
            }
            out().println("Pipeline " + pipeline.name() + " goes on from the imported state: "
                    + checkpoint.splits().size() + " splits.");
            return 0;
        }

        private String text() {
            boolean stdin = exported.equals(STDIN);
            try {
                return stdin
                        ? new String(System.in.readAllBytes(), StandardCharsets.UTF_8)
                        : Files.readString(Path.of(exported), StandardCharsets.UTF_8);
            } catch (IOException e) {
                throw new TidegateException(
                        ErrorCode.CONFIG_UNREADABLE,
                        (stdin ? "standard input" : exported) + " cannot be read: " + FileFailure.describe(e) + ".",
                        e);
            }
        }
    }
}
