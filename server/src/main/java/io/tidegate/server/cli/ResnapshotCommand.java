package io.tidegate.server.cli;

import io.tidegate.engine.store.FileStateStore;
import io.tidegate.server.config.ConfiguredPipeline;
import io.tidegate.spi.Checkpoint;
import io.tidegate.spi.Replan;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Has the rows of tables read again, without losing the place of the others. */
@Command(
        name = "resnapshot",
        description = {
            "Has all rows of some tables read again at the next start, beginning with a truncate unless 'stale_rows: keep' is"
                    + " set. The other tables go on from where they are.",
            "The pipeline must not be running; while the rows are read the log waits."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  tidegate resnapshot orders.yaml public.orders",
            "  tidegate resnapshot orders.yaml public.orders 'audit.*'"
        })
final class ResnapshotCommand extends PrintingCommand implements Callable<Integer> {

    private final Wiring wiring;

    @Parameters(index = "0", paramLabel = "FILE", description = "The pipeline's file.")
    Path file = Path.of("");

    @Parameters(index = "1..*", arity = "1..*", paramLabel = "TABLE", description = "As in the configuration.")
    List<String> tables = List.of();

    ResnapshotCommand(Wiring wiring) {
        this.wiring = wiring;
    }

    @Override
    public Integer call() {
        ConfiguredPipeline pipeline = wiring.load(file);
        try (FileStateStore store = wiring.open(pipeline)) {
            Checkpoint before = store.read();
            Replan replan = pipeline.source().resnapshot(before, tables);
            store.replan(replan);
        }
        out().println("Pipeline " + pipeline.name() + " reads " + String.join(", ", tables)
                + " again when it starts: tidegate run " + file);
        return 0;
    }
}
