package io.tidegate.server.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidegate.engine.Pipeline;
import io.tidegate.engine.PipelineOptions;
import io.tidegate.engine.PipelineStatus;
import io.tidegate.engine.env.Clock;
import io.tidegate.engine.env.Environment;
import io.tidegate.engine.env.RealDisk;
import io.tidegate.engine.env.Threads;
import io.tidegate.engine.store.FileStateStore;
import io.tidegate.formats.JsonEncoder;
import io.tidegate.server.config.ConfigLoader;
import io.tidegate.server.config.ConfiguredPipeline;
import io.tidegate.server.config.Connectors;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.SplitState;
import io.tidegate.spi.TidegateException;
import io.tidegate.testkit.await.Await;
import io.tidegate.testkit.postgres.PostgresServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * One configured pipeline with a {@link RecordingSink}, which is started, stopped, crashed and started again on the same
 * state. Small limits, so that little data fills everything.
 */
final class Rig implements AutoCloseable {

    static final Duration LIMIT = Duration.ofSeconds(25);

    private static final AtomicInteger LAST = new AtomicInteger();

    final String name =
            "rig" + LAST.incrementAndGet() + "_" + ProcessHandle.current().pid();
    final String slot = "tidegate_" + name;
    final RecordingSink sink = new RecordingSink();
    private final PostgresServer server;
    private final String database;
    private final ConfiguredPipeline configured;
    private final List<Pipeline> started = new ArrayList<>();
    private final AtomicLong aheadNanos = new AtomicLong();
    private @Nullable Pipeline pipeline;

    /** @param source lines below {@code source: postgres:}, the URL among them */
    Rig(Path folder, PostgresServer server, String database, String... source) throws IOException {
        this(folder, server, database, List.of(source));
    }

    Rig(Path folder, PostgresServer server, String database, List<String> source) throws IOException {
        this.server = server;
        this.database = database;
        Path file = folder.resolve(name + ".yaml");
        List<String> lines = new ArrayList<>(List.of("pipeline: " + name, "source:", "  postgres:"));
        source.forEach(line -> lines.add("    " + line));
        lines.addAll(List.of("sink:", "  file:", "    path: out"));
        Files.write(file, lines);
        configured = new ConfigLoader(Connectors.onClassPath(), variable -> null).load(file);
    }

    /** A source of the log only, of all tables of a database whose superuser may connect without a password. */
    static Rig logOnly(Path folder, PostgresServer server, String database, String tables, int port)
            throws IOException {
        return new Rig(folder, server, database, url(database, port), "tables: ['" + tables + "']", "snapshot: none");
    }

    static Rig logOnly(Path folder, PostgresServer server, String database) throws IOException {
        return logOnly(folder, server, database, "public.*", server.port());
    }

    static String url(String database, int port) {
        return "url: postgresql://postgres@127.0.0.1:" + port + "/" + database + "?sslmode=disable";
    }

    Pipeline start() {
        return start(Duration.ofSeconds(8));
    }

    /** A pipeline that a stop ends at once, as a kill would: what is under way is lost. */
    Pipeline startMortal() {
        return start(Duration.ZERO);
    }

    private Pipeline start(Duration stopTimeout) {
        PipelineOptions options = new PipelineOptions(
                100,
                256 << 10,
                8,
                1 << 20,
                Duration.ofMillis(20),
                1_000,
                PipelineOptions.RejectPolicy.RETRY,
                Duration.ofMillis(100),
                Duration.ofSeconds(1),
                stopTimeout);
        FileStateStore.Options store = store();
        Pipeline made = new Pipeline(
                new Pipeline.Definition(
                        name,
                        configured.source(),
                        sink,
                        JsonEncoder::new,
                        options,
                        () -> FileStateStore.open(store, "this test")),
                new Environment(new AheadClock(), new SplittableRandom(), Threads.system(), new RealDisk()));
        pipeline = made;
        started.add(made);
        made.start();
        return made;
    }

    private FileStateStore.Options store() {
        return new FileStateStore.Options(
                new RealDisk(),
                configured.config().stateDir(),
                name,
                configured.source().positions());
    }

    /** The position of the log that the state file holds. */
    String stored() {
        List<SplitState> splits = FileStateStore.show(store()).splits();
        return String.valueOf(splits.get(splits.size() - 1).progress().position());
    }

    /** Makes the engine's clock jump; the server's stays as it is. */
    void passTime(Duration time) {
        aheadNanos.addAndGet(time.toNanos());
    }

    private final class AheadClock implements Clock {
        @Override
        public long nanoTime() {
            return System.nanoTime() + aheadNanos.get();
        }

        @Override
        public long epochMillis() {
            return System.currentTimeMillis() + aheadNanos.get() / 1_000_000;
        }
    }

    /** Starts, and waits until the log is being read. */
    Pipeline startAndRead() throws SQLException {
        Pipeline made = start();
        awaitReading();
        return made;
    }

    void awaitReading() throws SQLException {
        await(
                "the log to be read",
                () -> status().splits().stream()
                                .anyMatch(split -> split.acknowledged().text() != null)
                        && walsender() != 0);
    }

    /** The process that reads our slot, 0 if none does. */
    int walsender() throws SQLException {
        List<String> pid = server.query(
                "SELECT coalesce(active_pid, 0) FROM pg_replication_slots WHERE slot_name = '" + slot + "'");
        return pid.isEmpty() ? 0 : Integer.parseInt(pid.get(0));
    }

    String confirmed() throws SQLException {
        return server.query("SELECT confirmed_flush_lsn FROM pg_replication_slots WHERE slot_name = '" + slot + "'")
                .get(0);
    }

    /** Whether the slot is confirmed up to here, or beyond. */
    boolean confirmedTo(String lsn) throws SQLException {
        return server.query("SELECT confirmed_flush_lsn >= '" + lsn
                        + "'::pg_lsn FROM pg_replication_slots WHERE slot_name = '" + slot + "'")
                .equals(List.of("t"));
    }

    String currentLsn() throws SQLException {
        return server.query("SELECT pg_current_wal_lsn()").get(0);
    }

    void sql(String... statements) throws SQLException {
        server.executeIn(database, statements);
    }

    List<String> query(String sql) throws SQLException {
        return server.queryIn(database, sql);
    }

    PipelineStatus status() {
        Pipeline current = pipeline;
        if (current == null) {
            throw new IllegalStateException("not started");
        }
        return current.status();
    }

    /** With a sink that hangs: waits until the server can send no more, because nobody reads. */
    void awaitReaderFull() throws SQLException {
        String[] sent = {""};
        int[] equal = {0};
        await("the server to be held up", () -> {
            String now = query("SELECT sent_lsn FROM pg_stat_replication WHERE pid = " + walsender())
                    .toString();
            equal[0] = now.equals(sent[0]) ? equal[0] + 1 : 0;
            sent[0] = now;
            return equal[0] > 20;
        });
    }

    /** Waits while the pipeline runs. */
    <E extends Exception> void await(String what, Await.Condition<E> condition) throws E {
        Await.until(
                what,
                LIMIT,
                () -> {
                    Pipeline current = pipeline;
                    if (current != null && current.outcome() != null) {
                        throw new AssertionError("waited for " + what + ", but it ended: " + describe());
                    }
                    return condition.holds();
                },
                this::describe);
    }

    void awaitDurable(String... changes) {
        await("the sink to have " + List.of(changes), () -> sink.durable().containsAll(List.of(changes)));
    }

    void awaitSize(int size) {
        await("the sink to have " + size + " changes", () -> sink.size() >= size);
    }

    void awaitHanging() {
        await("the sink to hang", () -> sink.hanging() > 0);
    }

    /** Waits for the pipeline to end by itself, and gives why. */
    TidegateException failure() throws InterruptedException {
        Pipeline current = pipeline;
        Pipeline.Outcome outcome = current == null ? null : current.await(LIMIT);
        if (outcome == null || outcome.failure() == null) {
            throw new AssertionError("the pipeline did not fail; " + describe());
        }
        return outcome.failure();
    }

    TidegateException failure(ErrorCode code) throws InterruptedException {
        TidegateException failure = failure();
        assertThat(failure.code()).as(failure.describe()).isEqualTo(code);
        return failure;
    }

    /** Asks for a stop and waits for it. */
    void stop() throws InterruptedException {
        Pipeline current = pipeline;
        if (current != null) {
            current.stop();
            assertThat(current.await(LIMIT)).as("the end of " + describe()).isNotNull();
        }
    }

    /** Ends what {@link #startMortal} began, as a kill would: what hangs in the sink never lands. */
    void crash() throws InterruptedException {
        stop();
        sink.die();
    }

    String describe() {
        Pipeline current = pipeline;
        List<String> changes = sink.durable();
        List<String> last = changes.subList(Math.max(0, changes.size() - 20), changes.size());
        return (current == null ? "not started" : current.status() + " " + current.outcome()) + ", " + changes.size()
                + " durable, the last: " + last;
    }

    @Override
    public void close() throws InterruptedException {
        sink.release();
        for (Pipeline one : started) {
            one.stop();
        }
        for (Pipeline one : started) {
            assertThat(one.await(LIMIT)).as("the end of " + describe()).isNotNull();
        }
    }
}
