package io.tidegate.server.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidegate.spi.ErrorCode;
import io.tidegate.testkit.await.Await;
import io.tidegate.testkit.postgres.SharedPostgres;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The program itself, in 256 MB of heap. */
class LargeRowsIT {

    private static final int ROWS = 1_000_000;

    @TempDir
    Path folder;

    /** A running {@code tidegate run}. */
    private record Child(Process process, Path log) implements AutoCloseable {
        String said() throws IOException {
            return Files.readString(log);
        }

        @Override
        public void close() throws InterruptedException {
            process.destroy();
            if (!process.waitFor(20, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
        }
    }

    private Child run(SharedPostgres.Database database, String name) throws IOException {
        return run(database, name, 256, "snapshot: none");
    }

    private Child run(SharedPostgres.Database database, String name, int heapMebibytes, String... source)
            throws IOException {
        Path log = folder.resolve(name + ".log");
        return start(
                file(database, name, "file: {path: " + name + "}", source),
                log,
                heapMebibytes,
                Redirect.appendTo(log.toFile()));
    }

    private Path file(SharedPostgres.Database database, String name, String sink, String... source) throws IOException {
        Path file = folder.resolve(name + ".yaml");
        List<String> lines = new ArrayList<>(List.of("pipeline: " + name, "source:", "  postgres:"));
        lines.add("    " + Rig.url(database.name(), database.server().port()));
        lines.add("    tables: ['public.*']");
        Stream.of(source).forEach(line -> lines.add("    " + line));
        lines.addAll(List.of("sink:", "  " + sink));
        return Files.write(file, lines);
    }

    /** @param output where the standard output goes; errors go to the log */
    private static Child start(Path file, Path log, int heapMebibytes, Redirect output) throws IOException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx" + heapMebibytes + "m",
                        "-XX:+ExitOnOutOfMemoryError",
                        "-cp",
                        System.getProperty("java.class.path"),
                        "io.tidegate.server.Tidegate",
                        "run",
                        file.toString())
                .redirectOutput(output)
                .redirectError(Redirect.appendTo(log.toFile()))
                .start();
        return new Child(process, log);
    }

    private static void awaitReading(SharedPostgres.Database database, Child child) throws Exception {
        String reading = "SELECT 1 FROM pg_replication_slots s JOIN pg_stat_replication r ON r.pid = s.active_pid"
                + " WHERE r.state = 'streaming' AND s.database = current_database()";
        await(child, "the log to be read", () -> !database.query(reading).isEmpty());
    }

    private static void await(Child child, String what, Await.Condition<Exception> condition) throws Exception {
        Await.until(what, java.time.Duration.ofSeconds(90), () -> {
            if (!child.process().isAlive()) {
                throw new AssertionError("it ended with " + child.process().exitValue() + ": " + child.said());
            }
            return condition.holds();
        });
    }

    private static void awaitConfirmed(SharedPostgres.Database database, Child child) throws Exception {
        String end = database.query("SELECT pg_current_wal_insert_lsn()").get(0);
        await(
                child,
                "everything to be confirmed",
                () -> database.query("SELECT 1 FROM pg_replication_slots WHERE database = current_database()"
                                        + " AND confirmed_flush_lsn >= '" + end + "'")
                                .size()
                        == 1);
    }

    /** Lines in the files of a pipeline, and the length of the longest. */
    private long[] lines(String name) throws IOException {
        long lines = 0;
        long longest = 0;
        byte[] piece = new byte[1 << 20];
        try (Stream<Path> files = Files.list(folder.resolve(name))) {
            for (Path file : files.filter(f -> f.toString().contains(".jsonl")).toList()) {
                try (InputStream in = Files.newInputStream(file)) {
                    long length = 0;
                    for (int count = in.read(piece); count >= 0; count = in.read(piece)) {
                        for (int i = 0; i < count; i++) {
                            length++;
                            if (piece[i] == '\n') {
                                lines++;
                                longest = Math.max(longest, length);
                                length = 0;
                            }
                        }
                    }
                }
            }
        }
        return new long[] {lines, longest};
    }

    @Test
    void aTransactionOfAMillionRowsPasses() throws Exception {
        try (SharedPostgres.Database database = SharedPostgres.version(17).fresh()) {
            database.execute("CREATE TABLE t (id int PRIMARY KEY, v text)");
            try (Child child = run(database, "million")) {
                awaitReading(database, child);
                database.execute("INSERT INTO t SELECT g, repeat('x', 190) FROM generate_series(1, " + ROWS + ") g");
                awaitConfirmed(database, child);
                assertThat(lines("million")[0]).isEqualTo(ROWS);
                database.execute("ALTER TABLE t REPLICA IDENTITY FULL", "DELETE FROM t");
                awaitConfirmed(database, child);
                assertThat(lines("million")[0]).isEqualTo(2 * ROWS);
            }
        }
    }

    /** Kind mem-queue-bounded-by-count: rows of a megabyte, few by count, and a sink that takes nothing for a while. */
    @Test
    void rowsThatASlowSinkDoesNotTakeWaitAtTheServer() throws Exception {
        int rows = 500;
        try (SharedPostgres.Database database = SharedPostgres.version(17).fresh()) {
            database.execute(
                    "CREATE TABLE t (id int PRIMARY KEY, v text)",
                    "ALTER DATABASE " + database.name() + " SET wal_sender_timeout = '2s'",
                    "INSERT INTO t VALUES (0, '')");
            Path file = file(database, "slow", "stdout: {}", "snapshot: none");
            try (Child child = start(file, folder.resolve("slow.log"), 256, Redirect.PIPE)) {
                awaitReading(database, child);
                int walsender = walsender(database);
                database.execute(
                        "INSERT INTO t SELECT g, repeat(md5(g::text), 30000) FROM generate_series(1, " + rows + ") g");
                awaitHeldUp(database, child);
                long start = System.nanoTime();
                await(child, "three times the server's patience", () -> System.nanoTime() - start > 6_000_000_000L);
                assertThat(walsender(database)).isEqualTo(walsender);
                try (BufferedReader lines = child.process().inputReader(StandardCharsets.UTF_8)) {
                    for (int id = 1; id <= rows; id++) {
                        assertThat(lines.readLine())
                                .contains("{\"id\":" + id + ",")
                                .hasSizeGreaterThan(960_000);
                    }
                    awaitConfirmed(database, child);
                }
                assertThat(walsender(database)).isEqualTo(walsender);
            }
        }
    }

    private static int walsender(SharedPostgres.Database database) throws Exception {
        return Integer.parseInt(database.query(
                        "SELECT coalesce(active_pid, 0) FROM pg_replication_slots WHERE database = current_database()")
                .get(0));
    }

    private static void awaitHeldUp(SharedPostgres.Database database, Child child) throws Exception {
        String[] sent = {""};
        int[] equal = {0};
        await(child, "the server to be held up", () -> {
            String now = database.query("SELECT sent_lsn FROM pg_stat_replication WHERE pid = " + walsender(database))
                    .toString();
            equal[0] = now.equals(sent[0]) ? equal[0] + 1 : 0;
            sent[0] = now;
            return equal[0] > 40;
        });
    }

    /** Texts, with characters that are escaped, and bytes; several in a row, in one transaction and in others. */
    @Test
    void rowsOfEightyMegabytesPassFromLogAndSnapshot() throws Exception {
        try (SharedPostgres.Database database = SharedPostgres.version(17).fresh()) {
            database.execute(
                    "CREATE TABLE t (id int PRIMARY KEY, v text, b bytea)",
                    "ALTER TABLE t ALTER v SET STORAGE EXTERNAL",
                    "ALTER TABLE t ALTER b SET STORAGE EXTERNAL");
            try (Child child = run(database, "large")) {
                awaitReading(database, child);
                database.execute(
                        "INSERT INTO t SELECT g, repeat('x', 75000000), NULL FROM generate_series(1, 3) g",
                        "INSERT INTO t SELECT g, repeat('\"a', 37500000), NULL FROM generate_series(4, 4) g",
                        "INSERT INTO t SELECT g, NULL, decode(repeat('00ff', 20000000), 'hex')"
                                + " FROM generate_series(5, 6) g",
                        "INSERT INTO t SELECT g, repeat('y', 190), NULL FROM generate_series(7, 1000) g");
                awaitConfirmed(database, child);
                long[] lines = lines("large");
                assertThat(lines[0]).isEqualTo(1000);
                assertThat(lines[1]).isGreaterThan(110_000_000);
            }
            // the log is read only when all of the snapshot is durable
            try (Child child = run(database, "largesnapshot", 256)) {
                awaitReading(database, child);
                assertThat(lines("largesnapshot")[0]).isEqualTo(1000);
            }
        }
    }

    /** And the heap that the error names is enough. */
    @Test
    void aRowAboveTheLimitEndsThePipelineAndNothingElse() throws Exception {
        try (SharedPostgres.Database database = SharedPostgres.version(17).fresh()) {
            database.execute(
                    "CREATE TABLE t (id int PRIMARY KEY, v text, b bytea)",
                    "ALTER TABLE t ALTER v SET STORAGE EXTERNAL");
            String heap = "";
            try (Child child = run(database, "toolarge")) {
                awaitReading(database, child);
                database.execute(
                        "INSERT INTO t VALUES (1, 'x')",
                        "INSERT INTO t VALUES (2, repeat('x', 100000000), NULL)",
                        "INSERT INTO t VALUES (3, NULL, decode(repeat('00ff', 24000000), 'hex'))");
                assertThat(child.process().waitFor(60, TimeUnit.SECONDS)).isTrue();
                assertThat(child.said())
                        .contains(ErrorCode.ROW_TOO_LARGE.code(), "public.t", " at 0/")
                        .doesNotContain("OutOfMemory");
                assertThat(child.process().exitValue()).isEqualTo(ErrorCode.ROW_TOO_LARGE.exitStatus());
                assertThat(lines("toolarge")[0]).isEqualTo(1);
                Matcher named = Pattern.compile("about (\\d+) MiB of heap").matcher(child.said());
                assertThat(named.find()).isTrue();
                heap = named.group(1);
            }
            try (Child child =
                    run(database, "toolarge", Integer.parseInt(heap), "snapshot: none", "max_row_bytes: 128MiB")) {
                awaitReading(database, child);
                awaitConfirmed(database, child);
                assertThat(lines("toolarge")[0]).isEqualTo(3);
            }
        }
    }
}
