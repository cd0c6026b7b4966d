package io.tidegate.bench.jdbc;

import io.tidegate.bench.process.Arguments;
import io.tidegate.bench.process.ChildReport;
import io.tidegate.embed.EmbeddedPipeline;
import io.tidegate.testkit.postgres.PostgresServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Writes the changes by Tidegate: its engine, and its sink {@code jdbc}. The time is from the first change that the source
 * gives to the end of the pipeline, when all is committed and its position is stored.
 */
public final class TidegateWriter {

    private static final Duration LIMIT = Duration.ofMinutes(30);

    /** Kept, since a logger that nobody holds forgets its level. */
    private static final Logger LOG = Logger.getLogger("io.tidegate");

    private TidegateWriter() {}

    /** Takes {@code url}, {@code kind}, {@code count}, {@code seed}, {@code mode}, {@code state}. */
    public static void main(String[] words) throws Exception {
        ChildReport report = new ChildReport();
        LOG.setLevel(Level.WARNING);
        Arguments arguments = Arguments.of(words);
        long seed = arguments.number("seed");
        TargetChanges changes =
                TargetChanges.of(TargetChanges.Kind.of(arguments.text("kind")), (int) arguments.number("count"), seed);
        MemorySource source = new MemorySource(new TargetRows(seed), changes);
        String mode = arguments.text("mode");
        Measured measured = new Measured(report);
        try (EmbeddedPipeline pipeline = EmbeddedPipeline.named("bench")
                .source(source)
                .sink(
                        "jdbc",
                        Map.of(
                                "url",
                                // without jdbc: in front
                                "postgresql:" + arguments.text("url").split(":", 3)[2],
                                "user",
                                PostgresServer.SUPERUSER,
                                "tls.mode",
                                "disable",
                                "mode",
                                mode,
                                "create_tables",
                                mode.equals("append"),
                                "names.table",
                                mode.equals("append") ? "{table}_changes" : "{table}"))
                .stateDirectory(Path.of(arguments.text("state")))
                .start()) {
            if (!pipeline.await(LIMIT)) {
                throw new IllegalStateException("the pipeline did not end within " + LIMIT);
            }
            measured.end(source.firstAt(), ChildReport.now());
        }
        report.print();
    }
}
