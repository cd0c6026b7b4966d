package io.tidegate.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.tidegate.testkit.await.Await;
import io.tidegate.testkit.postgres.PostgresServer;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * One pipeline from a database of its own into files, over many processes. Each time a process has ended it is checked that
 * the checkpoint has not gone back, and that the source was acknowledged nothing beyond it (I1, I2).
 */
final class Trial implements AutoCloseable {

    static final Duration LIMIT = Duration.ofSeconds(60);

    /** A graceful stop drains for 8 s at most; starting and ending a JVM comes on top. */
    static final Duration STOP_LIMIT = Duration.ofSeconds(12);

    private static final int TAIL_BYTES = 64 << 10;

    /** What the checkpoint holds, and what the slot was confirmed. */
    record Standing(int attempt, long log, Set<String> splitsOpen, Set<String> splitsDone, Optional<Long> confirmed) {
        boolean snapshotDone() {
            return attempt > 0 && splitsOpen.isEmpty();
        }
    }

    private final PostgresServer server;
    private final String name;
    private final Path folder;
    private int processes;
    private Optional<EngineProcess> engine = Optional.empty();
    private Standing last = new Standing(0, 0, Set.of(), Set.of(), Optional.empty());

    /**
     * Makes the database.
     *
     * @param name of the pipeline and of its database
     */
    Trial(PostgresServer server, Path parent, String name) throws SQLException, IOException {
        this.server = server;
        this.name = name;
        this.folder = Files.createDirectories(parent.resolve(name));
        server.execute("CREATE DATABASE " + name);
        configure("50ms");
    }

    /** Writes the pipeline's file anew, for the processes to come. */
    void configure(String checkpointInterval) throws IOException {
        Files.writeString(file(), """
                pipeline: %s
                source:
                  postgres:
                    url: postgresql://postgres@127.0.0.1:%d/%s
                    tables: [public.*]
                    snapshot_chunk: 1MiB
                sink:
                  file:
                    path: out
                    rotate: {size: 4MiB}
                batch: {changes: 200}
                in_flight: {batches: 4}
                checkpoint: {interval: %s, changes: 1000000000}
                retry: {initial: 20ms, max: 500ms}
                """.formatted(name, server.port(), name, checkpointInterval));
    }

    String name() {
        return name;
    }

    Path file() {
        return folder.resolve("pipeline.yaml");
    }

    Path out() {
        return folder.resolve("out");
    }

    /** The folder of the pipeline's checkpoint. */
    Path state() {
        return folder.resolve("state").resolve(name);
    }

    EngineProcess engine() {
        return engine.orElseThrow();
    }

    void start() {
        engine = Optional.of(EngineProcess.run(nextLog(), file()));
    }

    private Path nextLog() {
        processes++;
        return folder.resolve("engine-" + processes + ".log");
    }

    /** Runs this pipeline and another one in one process, which belongs to this trial. */
    EngineProcess startWith(Trial other) {
        EngineProcess both = EngineProcess.run(nextLog(), other.file(), file());
        engine = Optional.of(both);
        return both;
    }

    /** Kills the process; gives how things stand then. */
    Standing kill() throws SQLException {
        engine().kill();
        return standing();
    }

    /** Stops the process gracefully: with status 0, in time, and the source acknowledged all that is persisted. */
    Standing stop() throws SQLException {
        assertThat(engine().stop(STOP_LIMIT)).as(engine().log()).isZero();
        Standing standing = standing();
        assertThat(standing.confirmed().map(Delivered::printLsn))
                .as("a graceful stop acknowledges what it persisted")
                .contains(Delivered.printLsn(standing.log()));
        return standing;
    }

    /** Asks slot and store, in this order: so the slot must not be ahead. Only while no process runs. */
    Standing standing() throws SQLException {
        Standing now = look();
        assertThat(now.attempt()).as("attempts are counted upwards").isGreaterThanOrEqualTo(last.attempt());
        assertThat(Long.compareUnsigned(now.log(), last.log()))
                .as("I2: the checkpoint went back from %s to %s", last, now)
                .isGreaterThanOrEqualTo(0);
        if (now.attempt() == last.attempt()) {
            assertThat(now.splitsDone()).as("I2: done stays done").containsAll(last.splitsDone());
        }
        if (now.log() != 0 && now.confirmed().isPresent()) {
            long confirmed = now.confirmed().get();
            assertThat(Long.compareUnsigned(confirmed, now.log()))
                    .as(
                            "I1: the slot was confirmed %s, the checkpoint is at %s",
                            Delivered.printLsn(confirmed), Delivered.printLsn(now.log()))
                    .isLessThanOrEqualTo(0);
        }
        last = now;
        return now;
    }

    private Standing look() throws SQLException {
        Optional<Long> confirmed = slot("confirmed_flush_lsn::text").map(Delivered::lsn);
        JsonNode state = json(EngineProcess.answer(folder, "state", "show", "--json", file().toString()));
        long log = 0;
        Set<String> open = new HashSet<>();
        Set<String> done = new HashSet<>();
        for (JsonNode split : state.required("splits")) {
            if (split.required("spec").textValue().equals("log")) {
                JsonNode position = split.required("position");
                log = Delivered.lsn((position.isNull() ? split.required("start") : position).textValue());
            } else {
                (split.required("done").booleanValue() ? done : open)
                        .add(split.required("id").textValue());
            }
        }
        int attempt = state.required("source").path("snapshot.attempt").asInt(0);
        return new Standing(attempt, log, open, done, confirmed);
    }

    /** A column of the pipeline's slot; empty if there is no slot, or the column is null. */
    Optional<String> slot(String column) throws SQLException {
        List<String> rows = server.query(
                "SELECT " + column + " FROM pg_replication_slots WHERE slot_name = 'tidegate_" + name + "'");
        return rows.stream().filter(value -> !value.isEmpty()).findFirst();
    }

    /** Waits until the slot is in use, or is not. */
    void awaitSlot(boolean active) throws SQLException {
        Await.until(
                "the slot to be " + (active ? "in use" : "free"),
                LIMIT,
                () -> slot("active_pid").isPresent() == active);
    }

    /** Waits until the snapshot is done and a running process reads the log. */
    void awaitReadingTheLog() {
        await(
                "the log to be read",
                () -> server.query("SELECT 1 FROM pg_stat_replication r JOIN pg_replication_slots s"
                                        + " ON s.active_pid = r.pid WHERE r.state = 'streaming' AND s.slot_name = 'tidegate_"
                                        + name + "'")
                                .size()
                        == 1);
    }

    /** Waits until the server has had a reply that was sent from now on. */
    void awaitReply() throws SQLException {
        String now = server.query("SELECT now()").get(0);
        await(
                "a reply",
                () -> !server.query("SELECT 1 FROM pg_stat_replication r JOIN pg_replication_slots s"
                                + " ON s.active_pid = r.pid WHERE s.slot_name = 'tidegate_" + name
                                + "' AND r.reply_time > '" + now
                                + "'")
                        .isEmpty());
    }

    /** Waits until a running process has written so many bytes more. */
    void awaitBytes(long more) {
        long goal = bytes() + more;
        await(more + " bytes more", () -> bytes() >= goal);
    }

    /** Waits while the process runs. */
    void await(String what, Await.Condition<? extends Exception> condition) {
        Await.until(
                what,
                LIMIT,
                () -> {
                    if (!engine().isAlive()) {
                        throw new AssertionError("the engine has ended:\n" + engine().log());
                    }
                    return holds(condition);
                },
                () -> engine().log());
    }

    private static boolean holds(Await.Condition<? extends Exception> condition) {
        try {
            return condition.holds();
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** Bytes in all files of the sink. */
    long bytes() {
        return files().stream().mapToLong(Trial::size).sum();
    }

    /** Whether a text stands near the end of what was written. */
    boolean endsWith(String text) {
        List<Path> files = files();
        for (Path path : files.subList(Math.max(0, files.size() - 2), files.size())) {
            if (tail(path).contains(text)) {
                return true;
            }
        }
        return false;
    }

    /** Whether a text stands anywhere in what was written. For small outputs. */
    boolean holds(String text) {
        return files().stream().anyMatch(path -> {
            try {
                return Files.readString(path).contains(text);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    /**
     * Lets everything be delivered, stops the pipeline, and judges what the files hold.
     *
     * @param load is paused
     */
    void finish(Load load, long seed) throws SQLException, IOException {
        long token = load.mark();
        await("the last transaction", () -> endsWith("\"token\":" + token + "}"));
        stop();
        Verdict verdict = verdict();
        System.out.println("chaos " + name + ", seed " + seed + ": " + verdict.summary());
        assertThat(verdict.faults()).as("seed %d: %s", seed, verdict.text()).isEmpty();
    }

    private Verdict verdict() throws SQLException, IOException {
        Path tables = Files.createDirectories(folder.resolve("tables"));
        Path config = tables.resolve("tables.yaml");
        Files.writeString(config, """
                pipeline: tables
                source:
                  postgres:
                    url: postgresql://postgres@127.0.0.1:%d/%s
                    tables: [public.*]
                    snapshot: only
                sink:
                  file: {path: out}
                """.formatted(server.port(), name));
        EngineProcess.answer(folder, "run", "--http", "off", config.toString());
        try (Stream<String> delivered = lines(out());
                Stream<String> complete = lines(tables.resolve("out"))) {
            return Verdict.of(delivered, Load.entries(server, name), complete);
        }
    }

    /** All lines, file after file. */
    private static Stream<String> lines(Path out) {
        return files(out).stream().flatMap(Trial::linesOf);
    }

    /** Closed by the stream that it becomes part of. */
    @SuppressWarnings("StreamResourceLeak")
    private static Stream<String> linesOf(Path path) {
        try {
            return Files.lines(path, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private List<Path> files() {
        return files(out());
    }

    /** The sink's files, in order. */
    private static List<Path> files(Path out) {
        if (!Files.isDirectory(out)) {
            return List.of();
        }
        try (Stream<Path> all = Files.list(out)) {
            return all.filter(path -> path.getFileName().toString().contains(".jsonl"))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static long size(Path path) {
        try {
            return Files.size(path);
        } catch (IOException finished) {
            // Renamed just now; the next look sees it.
            return 0;
        }
    }

    private static String tail(Path path) {
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "r")) {
            long from = Math.max(0, file.length() - TAIL_BYTES);
            byte[] bytes = new byte[(int) (file.length() - from)];
            file.seek(from);
            int read = file.read(bytes);
            return new String(bytes, 0, Math.max(0, read), StandardCharsets.UTF_8);
        } catch (IOException finished) {
            // Renamed just now; the next look sees it.
            return "";
        }
    }

    private static JsonNode json(String text) {
        try {
            return JsonMapper.builder().build().readTree(text);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("not JSON: " + text, e);
        }
    }

    @Override
    public void close() {
        engine.ifPresent(EngineProcess::close);
    }
}
