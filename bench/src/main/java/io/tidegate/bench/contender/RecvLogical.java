package io.tidegate.bench.contender;

import io.tidegate.bench.process.ChildReport;
import io.tidegate.bench.process.Usage;
import io.tidegate.bench.server.BenchServer;
import io.tidegate.testkit.postgres.PostgresServer;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * PostgreSQL's own {@code pg_recvlogical}, which writes what it receives to {@code /dev/null}. It counts nothing, so that where it
 * ends is given as a position of the log.
 *
 * @param program the program's file
 */
public record RecvLogical(Path program) {

    private static final String NAME = "pg_recvlogical";
    private static final Path INSTALLED = Path.of("/usr/lib/postgresql");
    private static final Duration SAMPLE = Duration.ofMillis(20);
    private static final String WRITTEN = "wchar: ";

    /** The program of the newest version that is installed, or else on the PATH; empty: there is none. */
    public static Optional<RecvLogical> find() {
        String path = System.getenv("PATH");
        return find(INSTALLED, path == null ? "" : path).map(RecvLogical::new);
    }

    /** Debian's program on the PATH is a script that chooses one of these and costs time of its own: so these come first. */
    static Optional<Path> find(Path installed, String path) {
        return Stream.concat(
                        versions(installed).map(version -> version.resolve("bin")),
                        Stream.of(path.split(File.pathSeparator, -1))
                                .filter(folder -> !folder.isEmpty())
                                .map(Path::of))
                .map(folder -> folder.resolve(NAME))
                .filter(Files::isExecutable)
                .findFirst();
    }

    private static Stream<Path> versions(Path installed) {
        try (Stream<Path> folders = Files.list(installed)) {
            return folders
                    .filter(folder -> folder.getFileName().toString().matches("[0-9]{1,4}"))
                    .sorted(Comparator.comparing(
                            (Path folder) ->
                                    Integer.valueOf(folder.getFileName().toString()),
                            Comparator.reverseOrder()))
                    .toList()
                    .stream();
        } catch (NoSuchFileException none) {
            return Stream.empty();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What the program says of itself, such as {@code pg_recvlogical (PostgreSQL) 17.2}. */
    public String version() throws InterruptedException {
        try {
            Process process = new ProcessBuilder(program.toString(), "--version")
                    .redirectErrorStream(true)
                    .start();
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            process.waitFor();
            return said.strip();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Reads a slot until a position of the log, and returns the figures of the other contenders as far as they are known: {@code
     * first} and {@code end} (microseconds since 1970), {@code user}, {@code system}, {@code resident}; and {@code started}. They
     * are looked at every 20 ms, and so late are {@code first}, and short {@code user} and {@code system}, at most.
     *
     * @throws IllegalStateException it failed, or was not done in time; with what it said
     */
    public Map<String, Double> run(BenchServer server, String slot, String publication, String endLsn, Duration limit)
            throws InterruptedException {
        try {
            Path said = Files.createTempFile(NAME, ".log");
            try {
                return run(command(server, slot, publication, endLsn), said, limit);
            } finally {
                Files.delete(said);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private List<String> command(BenchServer server, String slot, String publication, String endLsn) {
        return List.of(
                program.toString(),
                "--dbname=host=127.0.0.1 port=" + server.postgres().port() + " user=" + PostgresServer.SUPERUSER
                        + " dbname=postgres sslmode=disable",
                "--slot=" + slot,
                "--start",
                "--endpos=" + endLsn,
                "--file=/dev/null",
                "--no-loop",
                "--option=proto_version=1",
                "--option=publication_names=" + publication);
    }

    private static Map<String, Double> run(List<String> command, Path said, Duration limit)
            throws IOException, InterruptedException {
        long started = ChildReport.now();
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(said.toFile())
                .start();
        Thread hook = new Thread(process::destroyForcibly, "end of " + NAME);
        Runtime.getRuntime().addShutdownHook(hook);
        Sampled sampled = new Sampled(process.pid());
        try {
            long deadline = System.nanoTime() + limit.toNanos();
            while (!process.waitFor(SAMPLE.toNanos(), TimeUnit.NANOSECONDS)) {
                sampled.look();
                if (System.nanoTime() > deadline) {
                    throw new IllegalStateException(NAME + " was not done within " + limit + ": " + text(said));
                }
            }
        } finally {
            process.destroyForcibly();
            Runtime.getRuntime().removeShutdownHook(hook);
        }
        long end = ChildReport.now();
        if (process.exitValue() != 0) {
            throw new IllegalStateException(NAME + " ended with " + process.exitValue() + ": " + text(said));
        }
        Map<String, Double> figures = sampled.figures();
        figures.put("started", (double) started);
        figures.put("end", (double) end);
        return figures;
    }

    private static String text(Path said) throws IOException {
        return Files.readString(said).strip();
    }

    /** The most that was seen of each figure: a process that has ended shows nothing any more. */
    private static final class Sampled {

        private final long pid;
        private final long writtenBefore;
        private Usage most = new Usage(0, 0, 0, 0);
        private long first;

        /** Begins with what the process wrote until it became the program. */
        Sampled(long pid) throws IOException {
            this.pid = pid;
            this.writtenBefore = written(pid);
        }

        void look() throws IOException {
            Usage usage = Usage.of(pid);
            most = new Usage(
                    Math.max(most.userSeconds(), usage.userSeconds()),
                    Math.max(most.systemSeconds(), usage.systemSeconds()),
                    0,
                    Math.max(most.peakResidentBytes(), usage.peakResidentBytes()));
            if (first == 0 && written(pid) > writtenBefore) {
                first = ChildReport.now();
            }
        }

        Map<String, Double> figures() {
            Map<String, Double> figures = new LinkedHashMap<>();
            figures.put("first", first == 0 ? Double.NaN : first);
            figures.put("user", most.userSeconds());
            figures.put("system", most.systemSeconds());
            figures.put("resident", (double) most.peakResidentBytes());
            return figures;
        }

        /** Bytes that the process gave to write(2), which its socket does not use. */
        private static long written(long pid) throws IOException {
            Path io = Path.of("/proc", Long.toString(pid), "io");
            try {
                for (String line : Files.readAllLines(io)) {
                    if (line.startsWith(WRITTEN)) {
                        return Long.parseLong(line.substring(WRITTEN.length()));
                    }
                }
                return 0;
            } catch (IOException e) {
                if (!Files.exists(io)) {
                    return 0;
                }
                throw e;
            }
        }
    }
}
