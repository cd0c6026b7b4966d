package io.tidegate.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidegate.engine.Pipeline;
import io.tidegate.engine.PipelineOptions;
import io.tidegate.engine.env.Environment;
import io.tidegate.engine.store.FileStateStore;
import io.tidegate.spi.Batch;
import io.tidegate.spi.Change;
import io.tidegate.spi.Checkpoint;
import io.tidegate.spi.Finding;
import io.tidegate.spi.Sink;
import io.tidegate.spi.SinkContext;
import io.tidegate.spi.SinkSession;
import io.tidegate.spi.SplitState;
import io.tidegate.testkit.await.Await;
import io.tidegate.testkit.disk.SimulatedDisk;
import io.tidegate.testkit.fake.NumberPositions;
import io.tidegate.testkit.fake.Numbered;
import io.tidegate.testkit.fake.ScriptedSource;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * A sink that takes batches into a queue of its own and reports them later, in any order; as clients of brokers do. The
 * kinds of the cases ack-unordered-callbacks-advance-position, sink-commits-before-async-insert,
 * ack-partial-transaction-same-position and engine-acks-source-before-position-is-durable.
 */
class AsyncSinkTest {

    private static final Duration LIMIT = Duration.ofSeconds(20);

    private final SimulatedDisk disk = new SimulatedDisk(new SplittableRandom(3));
    private final QueueingSink sink = new QueueingSink();
    private @Nullable Pipeline pipeline;

    @AfterEach
    void stop() throws InterruptedException {
        if (pipeline != null) {
            pipeline.stop();
            assertThat(pipeline.await(LIMIT)).isNotNull();
        }
    }

    @Test
    void aLaterReportMovesNoPositionPastAnEarlierChange() throws InterruptedException {
        // INSERT INTO a: to a slow place; INSERT INTO b, twice: to a quick one
        ScriptedSource source = ScriptedSource.log("ccc");
        start(source);
        sink.waitFor("log:0", "log:1", "log:2");
        sink.report("log:1");
        sink.report("log:2");
        Await.until("both reports were counted", LIMIT, () -> running().status().delivered() == 2);
        assertThat(source.pruned("log")).isZero();
        assertThat(stored()).isZero();
        sink.report("log:0");
        Await.until("the source knows all three", LIMIT, () -> source.pruned("log") == 3);
    }

    @Test
    void acceptedIsNotDurableAndAStopAtThatMomentKeepsThePositionWhereItWas() throws InterruptedException {
        ScriptedSource source = ScriptedSource.log("ccc");
        start(source);
        sink.waitFor("log:0", "log:1", "log:2");
        running().stop();
        assertThat(running().await(LIMIT)).isNotNull();
        assertThat(stored()).isZero();
        assertThat(source.pruned("log")).isZero();
        sink.forget();
        start(source);
        sink.waitFor("log:0", "log:1", "log:2");
    }

    @Test
    void aPositionMovesToATransactionOnlyWhenAllOfItsRowsAreReported() throws InterruptedException {
        // one transaction of eight rows, batches of one
        ScriptedSource source = ScriptedSource.log("rrrrrrrc");
        start(source);
        sink.waitFor("log:0", "log:7");
        for (int i = 0; i < 7; i++) {
            sink.report("log:" + i);
        }
        Await.until("seven were counted", LIMIT, () -> running().status().delivered() == 7);
        assertThat(stored()).isZero();
        assertThat(source.pruned("log")).isZero();
        sink.report("log:7");
        Await.until("the source knows the transaction", LIMIT, () -> source.pruned("log") == 8);
    }

    @Test
    void theSourceIsToldNothingThatTheStoreDoesNotHold() throws InterruptedException {
        ScriptedSource source = ScriptedSource.log("c".repeat(60));
        start(source);
        for (int i = 0; i < 60; i++) {
            sink.waitFor("log:" + i);
            sink.report("log:" + i);
            int told = source.pruned("log");
            assertThat(told).as("told, and stored after that was seen").isLessThanOrEqualTo(stored());
        }
        Await.until("the source knows all", LIMIT, () -> source.pruned("log") == 60);
    }

    private Pipeline running() {
        Pipeline started = pipeline;
        if (started == null) {
            throw new IllegalStateException("not started");
        }
        return started;
    }

    private FileStateStore.Options state() {
        return new FileStateStore.Options(disk, Path.of("/state"), "test", new NumberPositions());
    }

    private int stored() {
        Checkpoint durable = FileStateStore.show(state());
        for (SplitState split : durable.splits()) {
            if (split.progress().position() instanceof NumberPositions.Place place) {
                return place.value();
            }
        }
        return 0;
    }

    private void start(ScriptedSource source) {
        PipelineOptions options = new PipelineOptions(
                1,
                1 << 20,
                16,
                1 << 20,
                Duration.ofMillis(1),
                1,
                PipelineOptions.RejectPolicy.RETRY,
                Duration.ofMillis(20),
                Duration.ofMillis(100),
                Duration.ofMillis(500));
        Pipeline started = new Pipeline(
                new Pipeline.Definition(
                        "test",
                        source,
                        sink,
                        () -> (change, out) -> {},
                        options,
                        () -> FileStateStore.open(state(), "test")),
                Environment.system());
        pipeline = started;
        started.start();
    }

    /** Reports a batch when it is told to. Batches of one change. */
    private static final class QueueingSink implements Sink {

        private final Map<String, Runnable> waiting = new ConcurrentSkipListMap<>();

        void waitFor(String... names) throws InterruptedException {
            Await.until(
                    "the sink has " + List.of(names),
                    LIMIT,
                    () -> waiting.keySet().containsAll(List.of(names)));
        }

        void report(String name) {
            Runnable report = waiting.remove(name);
            assertThat(report).as("waiting: " + name).isNotNull();
            report.run();
        }

        void forget() {
            waiting.clear();
        }

        @Override
        public List<Finding> check() {
            return List.of();
        }

        @Override
        public SinkSession open(SinkContext context) {
            return new SinkSession() {
                @Override
                public void accept(Batch batch) {
                    Change change = batch.changes().get(0);
                    waiting.put(Numbered.name(change), () -> context.durable(batch));
                }

                @Override
                public void flush() {}

                @Override
                public void abort() {}

                @Override
                public void close() {}
            };
        }
    }
}
