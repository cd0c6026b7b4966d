package io.tidegate.testkit.engine;

import static io.tidegate.testkit.engine.PipelineRig.names;
import static io.tidegate.testkit.engine.PipelineRig.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.tidegate.engine.Pipeline;
import io.tidegate.testkit.fake.ScriptedSource;
import io.tidegate.testkit.fake.ScriptedSource.Script;
import io.tidegate.testkit.fake.Trouble;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What is in flight is bounded, and nothing deadlocks at a bound (I15). */
class PipelineLimitsTest {

    private final PipelineRig rig = new PipelineRig();

    @AfterEach
    void stop() throws InterruptedException {
        rig.close();
    }

    @Test
    void aTransactionLargerThanEveryLimitGoesThrough() {
        rig.inFlightBatches = 2;
        rig.inFlightBytes = 1_000;
        ScriptedSource source = ScriptedSource.log("r".repeat(5_000) + "c");
        rig.start(source);
        until("the source knows", () -> source.pruned("log") == 5_001);
        assertThat(rig.sink.durable()).containsExactlyElementsOf(names("log", 0, 5_001));
    }

    @Test
    void changesLargerThanTheLimitPassOneByOne() {
        AtomicLong most = new AtomicLong();
        ScriptedSource source = ScriptedSource.log("cbbcbccc");
        Pipeline pipeline = rig.start(source);
        rig.sink.trouble((call, what) -> most.accumulateAndGet(pipeline.status().unsettledBytes(), Math::max));
        until("the source knows", () -> source.pruned("log") == 8);
        assertThat(rig.sink.durable()).containsExactlyElementsOf(names("log", 0, 8));
        assertThat(most).hasValueLessThanOrEqualTo(ScriptedSource.BIG + rig.inFlightBytes);
    }

    @Test
    void markersOfAnIdleLogMoveThePositionAndAreAcknowledged() {
        ScriptedSource source = ScriptedSource.log("m");
        rig.start(source);
        until("the first marker", () -> source.pruned("log") == 1);
        source.append("log", "m".repeat(500));
        until("the last marker", () -> source.pruned("log") == 501);
        source.append("log", "cm");
        until("a row and a marker", () -> source.pruned("log") == 503);
        assertThat(rig.sink.durable()).containsExactly("log:501");
    }

    @Test
    void readsNoMoreWhenTheSinkTakesNothing() {
        CountDownLatch hang = new CountDownLatch(1);
        rig.sink.trouble((call, what) -> {
            if (call == Trouble.Call.ACCEPT) {
                hang.await();
            }
        });
        AtomicLong given = new AtomicLong();
        ScriptedSource source = ScriptedSource.log("c".repeat(100_000));
        source.trouble((call, what) -> {
            if (call == Trouble.Call.ROW) {
                given.incrementAndGet();
            }
        });
        Pipeline pipeline = rig.start(source);
        until("as much as fits is in flight", () -> pipeline.status().unsettledBatches() == rig.inFlightBatches);
        pipeline.stop();
        until("the reader is gone", () -> source.openNow().isEmpty());
        assertThat(given.get()).isLessThanOrEqualTo((rig.inFlightBatches + 16 + 1) * 7L);
        hang.countDown();
    }

    @Test
    void neverReadsMoreSplitsAtOnceThanTheSourceAllows() throws InterruptedException {
        List<Script> chunks = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            chunks.add(new Script("chunk" + i, List.of(), "ccccc", true));
        }
        ScriptedSource source = new ScriptedSource(chunks);
        source.readersMax(3);
        source.trouble((call, what) -> {
            if (call == Trouble.Call.ROW) {
                until("as many as allowed are read", () -> source.readersMost() >= 3);
            }
        });
        Pipeline.Outcome outcome = rig.start(source).await(PipelineRig.LIMIT);
        assertThat(outcome).isNotNull();
        assertThat(rig.sink.durable()).hasSize(200).doesNotHaveDuplicates();
        assertThat(source.readersMost()).isEqualTo(3);
    }

    @Test
    void aSplitWithALongBacklogStarvesNoOther() {
        Semaphore room = new Semaphore(0);
        rig.sink.trouble((call, what) -> {
            if (call == Trouble.Call.FLUSH) {
                room.acquire();
            }
        });
        rig.inFlightBatches = 1; // one place that gets free at a time
        ScriptedSource source = new ScriptedSource(List.of(
                new Script("long", List.of(), "c".repeat(70_000), false), new Script("short", List.of(), "", false)));
        rig.start(source);
        room.release(10);
        until("the backlog moves", () -> rig.sink.durable().size() >= 70);
        source.append("short", "c");
        for (int i = 0; i < 20; i++) { // a slow sink: all that is read waits for it
            int before = rig.sink.durable().size();
            room.release();
            until("a batch more", () -> rig.sink.durable().size() > before);
        }
        assertThat(rig.sink.durable()).contains("short:0");
        room.release(100_000);
    }

    @Test
    void aSingleChangeWaitsForNothingOnItsWay() {
        ScriptedSource source = ScriptedSource.log("");
        rig.start(source);
        until("reading", () -> !source.openNow().isEmpty());
        long[] took = new long[50];
        for (int i = 0; i < took.length; i++) {
            Semaphore durable = new Semaphore(0);
            rig.sink.trouble((call, what) -> {
                if (call == Trouble.Call.FLUSHED) {
                    durable.release();
                }
            });
            long began = System.nanoTime();
            source.append("log", "c");
            until("it is durable", durable::tryAcquire);
            took[i] = System.nanoTime() - began;
        }
        Arrays.sort(took);
        System.Logger log = System.getLogger(PipelineLimitsTest.class.getName());
        log.log(System.Logger.Level.DEBUG, "from the log to durable, median: {0} us", took[25] / 1_000);
        assertThat(Duration.ofNanos(took[25]))
                .as("a wait of the roles, 100 ms, is not on the way")
                .isLessThan(Duration.ofMillis(50));
    }

    @Test
    void aMillionChangesGoThrough() {
        rig.batchChanges = 1_000;
        rig.inFlightBatches = 64;
        rig.inFlightBytes = 32 << 20;
        ScriptedSource source = ScriptedSource.log("rrrrrrrrrc".repeat(100_000));
        long began = System.nanoTime();
        rig.start(source);
        until("the source knows", () -> source.pruned("log") == 1_000_000);
        System.Logger log = System.getLogger(PipelineLimitsTest.class.getName());
        log.log(System.Logger.Level.DEBUG, "a million changes took {0} ms", (System.nanoTime() - began) / 1_000_000);
        assertThat(rig.sink.durable()).hasSize(1_000_000);
    }

    @Test
    void tenThousandSplitsAreReadToTheEnd() throws InterruptedException {
        List<Script> chunks = new ArrayList<>();
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            chunks.add(new Script("chunk" + i, List.of(), i % 100 == 0 ? "c" : "", true));
            ids.add("chunk" + i);
        }
        chunks.add(new Script("last", ids, "c", true));
        ScriptedSource source = new ScriptedSource(chunks);
        source.readersMax(4);
        Pipeline.Outcome outcome = rig.start(source).await(PipelineRig.LIMIT);
        assertThat(outcome).isNotNull();
        List<String> durable = rig.sink.durable();
        assertThat(durable).hasSize(101).endsWith("last:0");
    }
}
