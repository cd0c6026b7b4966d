package io.tidegate.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidegate.testkit.postgres.PostgresServer;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Stream;

/** A pipeline into files. */
final class FileTrial extends Trial {

    /**
     * Makes the database.
     *
     * @param name of the pipeline and of its database
     */
    FileTrial(PostgresServer server, Path parent, String name) throws SQLException, IOException {
        super(server, parent, name);
        configure("50ms");
    }

    @Override
    String sink() {
        return """
                  file:
                    path: out
                    rotate: {size: 4MiB}
                """;
    }

    Path out() {
        return folder().resolve("out");
    }

    /** Waits until a running process has written so many bytes more. */
    void awaitBytes(long more) {
        long goal = bytes() + more;
        await(more + " bytes more", () -> bytes() >= goal);
    }

    long bytes() {
        return files().bytes();
    }

    /** Whether a text stands near the end of what was written. */
    boolean endsWith(String text) {
        return files().endsWith(text);
    }

    /** Whether a text stands anywhere in what was written. For small outputs. */
    boolean holds(String text) {
        return files().holds(text);
    }

    /**
     * Lets everything be delivered, stops the pipeline, and judges what the files hold.
     *
     * @param load is paused
     */
    Verdict finish(Load load, long seed) throws SQLException, IOException {
        long token = load.mark();
        await("the last transaction", () -> endsWith("\"token\":" + token + "}"));
        stop();
        Verdict verdict;
        try (Stream<String> delivered = files().lines()) {
            verdict = judge(delivered);
        }
        System.out.println("chaos " + name() + ", seed " + seed + ": " + verdict.summary());
        assertThat(verdict.faults().size())
                .as("seed %d: %s", seed, verdict.text())
                .isZero();
        return verdict;
    }

    /** What stands in the files, in order. */
    List<Delivered> delivered() {
        return files().wholeLines().stream().map(Delivered::parse).toList();
    }

    private SinkFiles files() {
        return new SinkFiles(out());
    }
}
