package io.tidegate.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidegate.engine.env.RealDisk;
import io.tidegate.engine.store.FileStateStore;
import io.tidegate.spi.Checkpoint;
import io.tidegate.spi.SplitState;
import io.tidegate.testkit.await.Await;
import io.tidegate.testkit.postgres.PostgresServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * One pipeline from a database of its own, over many processes. Each time a process has ended it is checked that
 * the checkpoint has not gone back, and that the source was acknowledged nothing beyond it (I1, I2).
 */
abstract class Trial implements AutoCloseable {

    static final Duration LIMIT = Duration.ofSeconds(60);

    /** A graceful stop drains for 8 s at most; starting and ending a JVM comes on top. */
    static final Duration STOP_LIMIT = Duration.ofSeconds(12);

    /** What the checkpoint holds, and what the slot was confirmed. */
    record Standing(int attempt, long log, Set<String> splitsOpen, Set<String> splitsDone, Optional<Long> confirmed) {
        /** How many chunks of a table are done, of any attempt. */
        long chunksDone(String table) {
            return splitsDone.stream()
                    .filter(id -> id.contains("/public." + table + "/"))
                    .count();
        }

        /** Chunks of earlier attempts that are done all the same: they were kept. */
        long chunksKept(String table) {
            return splitsDone.stream()
                    .filter(id -> id.contains("/public." + table + "/") && !id.startsWith("a" + attempt + "/"))
                    .count();
        }

        boolean snapshotDone() {
            return attempt > 0 && splitsOpen.isEmpty();
        }
    }

    private final PostgresServer server;
    private final String name;
    private final Path folder;
    private int port;
    private String ofSource = "";
    private String others = "retry: {initial: 20ms, max: 500ms}\n";
    private EngineProcess.Launch launch = EngineProcess.Launch.PLAIN;
    private int processes;
    private Optional<EngineProcess> engine = Optional.empty();
    private Standing last = new Standing(0, 0, Set.of(), Set.of(), Optional.empty());

    /**
     * Makes the database. Who extends this ends its constructor with {@link #configure}.
     *
     * @param name of the pipeline and of its database
     */
    Trial(PostgresServer server, Path parent, String name) throws SQLException, IOException {
        this.server = server;
        this.port = server.port();
        this.name = name;
        this.folder = Files.createDirectories(parent.resolve(name));
        server.execute("CREATE DATABASE " + name);
    }

    /** What stands below {@code sink:} in the pipeline's file. */
    abstract String sink();

    /** Writes the pipeline's file anew, for the processes to come. */
    final void configure(String checkpointInterval) throws IOException {
        configure(checkpointInterval, "[public.*]", false);
    }

    /** Writes the pipeline's file anew, for the processes to come. */
    final void configure(String checkpointInterval, String tables, boolean autoAdd) throws IOException {
        Files.writeString(
                file(), """
                pipeline: %s
                source:
                  postgres:
                    url: postgresql://postgres@127.0.0.1:%d/%s
                    tables: %s
                    auto_add: %s
                    snapshot_chunk: 1MiB
                %ssink:
                %sbatch: {changes: 200}
                in_flight: {batches: 4}
                checkpoint: {interval: %s, changes: 1000000000}
                %s""".formatted(name, port, name, tables, autoAdd, ofSource, sink(), checkpointInterval, others));
    }

    /** Of the files that are written from now on: where the source is reached. */
    final void sourceBehind(int newPort) {
        port = newPort;
    }

    /**
     * Of the files that are written from now on.
     *
     * @param lineOfSource a setting of the source, or nothing
     * @param otherLines retry and whatever else is not about source, sink, batches and checkpoint
     */
    final void settings(String lineOfSource, String otherLines) {
        ofSource = lineOfSource.isEmpty() ? "" : "    " + lineOfSource + "\n";
        others = otherLines;
    }

    /** Of the processes that are started from now on. */
    final void launch(EngineProcess.Launch newLaunch) {
        launch = newLaunch;
    }

    final PostgresServer server() {
        return server;
    }

    final Path folder() {
        return folder;
    }

    String name() {
        return name;
    }

    Path file() {
        return folder.resolve("pipeline.yaml");
    }

    /** The folder of the pipeline's checkpoint. */
    Path state() {
        return folder.resolve("state").resolve(name);
    }

    final boolean isRunning() {
        return engine.map(EngineProcess::isAlive).orElse(false);
    }

    /** What the processes have printed, each apart. */
    final List<String> logs() throws IOException {
        List<String> logs = new ArrayList<>();
        for (int i = 1; i <= processes; i++) {
            logs.add(Files.readString(folder.resolve("engine-" + i + ".log")));
        }
        return logs;
    }

    EngineProcess engine() {
        return engine.orElseThrow();
    }

    void start() {
        engine = Optional.of(EngineProcess.run(nextLog(), launch, file()));
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

    /** As {@link #standing}, at any time and unchecked. */
    final Standing look() throws SQLException {
        Optional<Long> confirmed = slot("confirmed_flush_lsn::text").map(Delivered::lsn);
        Checkpoint state = FileStateStore.show(
                new FileStateStore.Options(new RealDisk(), folder.resolve("state"), name, LogPosition.ALL));
        long log = 0;
        Set<String> open = new HashSet<>();
        Set<String> done = new HashSet<>();
        for (SplitState split : state.splits()) {
            if (split.plan().spec().equals("log")) {
                log = LogPosition.of(Objects.requireNonNull(split.progress().position(), "the log has a start"))
                        .lsn();
            } else {
                (split.progress().done() ? done : open).add(split.plan().id());
            }
        }
        String attempt = state.source().entries().getOrDefault("snapshot.attempt", "0");
        return new Standing(Integer.parseInt(attempt), log, open, done, confirmed);
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

    /**
     * What becomes of lines, against the source as it is.
     *
     * @param delivered all that the sink holds, in order
     */
    final Verdict judge(Stream<String> delivered) throws SQLException, IOException {
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
        try (Stream<String> complete = new SinkFiles(tables.resolve("out")).lines()) {
            return Verdict.of(delivered, Load.entries(server, name), complete);
        }
    }

    @Override
    public void close() {
        engine.ifPresent(EngineProcess::close);
    }
}
