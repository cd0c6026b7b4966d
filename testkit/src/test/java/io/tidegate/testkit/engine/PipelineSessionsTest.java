package io.tidegate.testkit.engine;

import static io.tidegate.testkit.engine.PipelineRig.names;
import static io.tidegate.testkit.engine.PipelineRig.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.tidegate.engine.Pipeline;
import io.tidegate.engine.PipelineStatus;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.TidegateException;
import io.tidegate.testkit.fake.ScriptedSource;
import io.tidegate.testkit.fake.ScriptedSource.Script;
import io.tidegate.testkit.fake.Trouble.Call;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How sessions begin, end and follow each other. */
class PipelineSessionsTest {

    private final PipelineRig rig = new PipelineRig();
    private final CountDownLatch hang = new CountDownLatch(1);

    @AfterEach
    void stop() throws InterruptedException {
        hang.countDown();
        rig.close();
    }

    @Test
    void sessionsThatAlwaysDieYoungGetOnAndAreNotKeptWaitingForIt() {
        rig.checkpointInterval = Duration.ofHours(1);
        rig.batchChanges = 1;
        rig.retryInitial = Duration.ofMillis(1);
        rig.retryMax = Duration.ofHours(1); // never reset, twenty doublings last longer than the test
        ScriptedSource source = ScriptedSource.log("c".repeat(20));
        AtomicInteger durableBefore = new AtomicInteger();
        source.trouble((call, what) -> {
            if (call == Call.ROW) {
                int next = Integer.parseInt(what.substring("log:".length()));
                if (next == source.pruned("log")) {
                    durableBefore.set(rig.sink.durable().size());
                } else {
                    // its own row, not a copy that an earlier session left
                    until("the row before is durable", () -> rig.sink.durable().size() > durableBefore.get());
                    throw new TidegateException(ErrorCode.SOURCE_UNAVAILABLE, "dies young");
                }
            }
        });
        rig.start(source);
        until("delivered", () -> rig.sink.durable().contains("log:19"));
        assertThat(new LinkedHashSet<>(rig.sink.durable())).containsExactlyElementsOf(names("log", 0, 20));
        assertThat(source.sessions()).isGreaterThanOrEqualTo(20);
    }

    @Test
    void anAcknowledgementThatIsPutOffIsRepeatedUntilItIsConfirmed() throws InterruptedException {
        ScriptedSource source = ScriptedSource.log("c".repeat(5));
        source.putOffAcknowledgements(4);
        Pipeline pipeline = rig.start(source);
        until("the source knows", () -> source.pruned("log") == 5);
        assertThat(source.sessions()).isEqualTo(1);
        source.putOffAcknowledgements(3);
        source.append("log", "cc");
        until("delivered", () -> rig.sink.durable().size() == 7);
        pipeline.stop(); // waits for it (I9)
        assertThat(pipeline.await(PipelineRig.LIMIT)).isNotNull();
        assertThat(source.pruned("log")).isEqualTo(7);
    }

    @Test
    void anAcknowledgementThatAFinishedReaderLeavesReachesTheSourceItself() throws InterruptedException {
        ScriptedSource source = new ScriptedSource(List.of(
                new Script("first", List.of(), "ccc", true), new Script("second", List.of("first"), "ccc", true)));
        source.putOffAcknowledgements(3);
        Pipeline.Outcome outcome = rig.start(source).await(PipelineRig.LIMIT);
        assertThat(outcome).isEqualTo(new Pipeline.Outcome(PipelineStatus.State.COMPLETED, null));
        assertThat(source.knowsDone("first")).isTrue();
        assertThat(source.knowsDone("second")).isTrue();
    }

    /** Its close is slow: what is due meanwhile is given to it, and it never looks again. */
    @Test
    void anAcknowledgementThatLiesWithAReaderWhenItEndsIsNotLost() throws InterruptedException {
        ScriptedSource source = new ScriptedSource(List.of(new Script("log", List.of(), "ccc", true)));
        source.trouble((call, what) -> {
            if (call == Call.CLOSE_READER) {
                hang.await();
            }
        });
        Pipeline pipeline = rig.start(source);
        until("its end is durable", () -> pipeline.status().places().done() == 1);
        hang.countDown();
        assertThat(pipeline.await(PipelineRig.LIMIT))
                .isEqualTo(new Pipeline.Outcome(PipelineStatus.State.COMPLETED, null));
        assertThat(source.knowsDone("log")).isTrue();
    }

    @Test
    void splitsThatAreFoundWhileTheSinkStillOpensAreRead() {
        ScriptedSource source = ScriptedSource.log("c");
        AtomicBoolean found = new AtomicBoolean();
        AtomicInteger tended = new AtomicInteger();
        source.trouble((call, what) -> {
            if (call == Call.TEND) {
                tended.incrementAndGet();
            }
        });
        source.find(new Script("late", List.of("log"), "", false));
        source.find(new Script("free", List.of(), "cc", false));
        rig.sink.trouble((call, what) -> {
            if (call == Call.OPEN_SINK && found.compareAndSet(false, true)) {
                hang.await();
            }
        });
        rig.start(source);
        until("the source looked twice", () -> tended.get() >= 2);
        hang.countDown();
        until("the split that was found", () -> source.pruned("free") == 2);
        assertThat(source.openNow()).containsExactlyInAnyOrder("log", "free");
        assertThat(source.sessions()).isEqualTo(1);
    }

    @Test
    void splitsThatAReaderFindsAreReadAfterTheOnesTheyComeAfter() throws InterruptedException {
        ScriptedSource source = new ScriptedSource(List.of(new Script("shard", List.of(), "ccc", true)));
        source.findAtEnd(
                "shard",
                List.of(
                        new Script("left", List.of("shard"), "c".repeat(10), true),
                        new Script("right", List.of("shard"), "c".repeat(10), true)));
        source.findAtEnd("left", List.of(new Script("joined", List.of("left", "right"), "cc", true)));
        Pipeline.Outcome outcome = rig.start(source).await(PipelineRig.LIMIT);
        assertThat(outcome).isEqualTo(new Pipeline.Outcome(PipelineStatus.State.COMPLETED, null));
        List<String> durable = rig.sink.durable();
        assertThat(durable)
                .hasSize(25)
                .startsWith("shard:0", "shard:1", "shard:2")
                .endsWith("joined:0", "joined:1");
        assertThat(durable.subList(3, 23))
                .containsSubsequence(names("left", 0, 10))
                .containsSubsequence(names("right", 0, 10));
    }

    @Test
    void theSourceIsClosedAfterItsReadersHoweverTheSessionEnds() {
        ScriptedSource source = new ScriptedSource(
                List.of(new Script("a", List.of(), "c", false), new Script("b", List.of(), "c", false)));
        AtomicBoolean tendFails = new AtomicBoolean();
        source.trouble((call, what) -> {
            if (call == Call.TEND && tendFails.getAndSet(false)) {
                throw new TidegateException(ErrorCode.SOURCE_UNAVAILABLE, "the control connection is cut");
            }
        });
        rig.start(source);
        until("both are read", () -> source.pruned("a") + source.pruned("b") == 2);
        tendFails.set(true);
        until(
                "the next session",
                () -> source.sessions() == 2 && source.openNow().size() == 2);
        source.failNextPoll(new TidegateException(ErrorCode.SOURCE_UNAVAILABLE, "cut"));
        until(
                "the one after it",
                () -> source.sessions() == 3 && source.openNow().size() == 2);
        rig.sink.failBefore(1);
        source.append("a", "c");
        until("the last one", () -> source.pruned("a") == 2);
        assertThat(source.faults()).isEmpty();
    }

    @Test
    void aStopEndsInTimeAlthoughAReaderBlocksInItsPollUntilItIsAborted() throws InterruptedException {
        rig.stopTimeout = Duration.ofMinutes(1);
        ScriptedSource source = ScriptedSource.log("");
        Pipeline pipeline = rig.start(source);
        until("reading", () -> !source.openNow().isEmpty());
        source.blockPolls();
        until("blocked", source::blocked);
        pipeline.stop();
        assertThat(pipeline.await(Duration.ofSeconds(10)))
                .isEqualTo(new Pipeline.Outcome(PipelineStatus.State.STOPPED, null));
    }

    @Test
    void aRoleThatCannotEvenCloseWithoutAnErrorEndsItsSessionAllTheSame() {
        ScriptedSource source = ScriptedSource.log("c");
        AtomicInteger errors = new AtomicInteger(1);
        source.trouble((call, what) -> {
            if (call == Call.CLOSE_READER && errors.getAndDecrement() > 0) {
                throw new OutOfMemoryError("a test's");
            }
        });
        rig.start(source);
        until("delivered", () -> source.pruned("log") == 1);
        source.failNextPoll(new TidegateException(ErrorCode.SOURCE_UNAVAILABLE, "cut"));
        source.append("log", "c");
        until("delivered", () -> source.pruned("log") == 2);
    }

    @Test
    void anErrorInARoleStopsThePipelineWithIt() throws InterruptedException {
        ScriptedSource source = ScriptedSource.log("c");
        source.trouble((call, what) -> {
            if (call == Call.ROW) {
                throw new OutOfMemoryError("a test's");
            }
        });
        Pipeline.Outcome outcome = rig.start(source).await(PipelineRig.LIMIT);
        assertThat(outcome).isNotNull();
        assertThat(outcome.failure()).isNotNull().hasMessageContaining("OutOfMemoryError: a test's");
        assertThat(source.openNow()).isEmpty();
        assertThat(rig.sink.openNow()).isZero();
    }

    @Test
    void aFaultInThePipelinesOwnThreadIsAnOutcomeAndLetsEverythingGo() throws InterruptedException {
        ScriptedSource source = ScriptedSource.log("ccccm");
        source.failComparisons();
        Pipeline pipeline = rig.start(source);
        Pipeline.Outcome outcome = pipeline.await(PipelineRig.LIMIT);
        assertThat(outcome).isNotNull();
        assertThat(outcome.state()).isEqualTo(PipelineStatus.State.FAILED);
        assertThat(outcome.exitStatus()).isEqualTo(ErrorCode.INTERNAL.exitStatus());
        assertThat(pipeline.status().state()).isEqualTo(PipelineStatus.State.FAILED);
        assertThat(pipeline.status().lastError()).isNotNull();
        until("the reader is gone", () -> source.openNow().isEmpty());
        until("the sink is gone", () -> rig.sink.openNow() == 0);
    }

    @Test
    void aReaderThatDoesNotEndShowsAsStalled() {
        ScriptedSource source = ScriptedSource.log("c");
        source.trouble((call, what) -> {
            if (call == Call.CLOSE_READER) {
                hang.await();
            }
        });
        Pipeline pipeline = rig.start(source);
        until("delivered", () -> source.pruned("log") == 1);
        source.failNextPoll(new TidegateException(ErrorCode.SOURCE_UNAVAILABLE, "cut"));
        until("stalled", () -> pipeline.status().state() == PipelineStatus.State.STALLED);
        hang.countDown();
        until("the next session", () -> source.sessions() == 2);
    }

    @Test
    void aSourceThatCannotGetReadyIsTriedAgainAfterLongerAndLongerWaits() {
        rig.retryInitial = Duration.ofMillis(1);
        rig.retryMax = Duration.ofHours(1);
        AtomicInteger failures = new AtomicInteger(6);
        ScriptedSource source = ScriptedSource.log("c");
        source.trouble((call, what) -> {
            if (call == Call.PREPARE && failures.getAndDecrement() > 0) {
                throw new TidegateException(ErrorCode.SLOT_ACTIVE, "somebody else reads");
            }
        });
        Pipeline pipeline = rig.start(source);
        until("delivered", () -> source.pruned("log") == 1);
        assertThat(source.sessions()).isEqualTo(7);
        until("shown", () -> pipeline.status().state() == PipelineStatus.State.RUNNING);
        assertThat(pipeline.status().lastError()).isNotNull();
        assertThat(pipeline.status().lastError().code()).isEqualTo(ErrorCode.SLOT_ACTIVE);
        assertThat(pipeline.status().sessions()).isEqualTo(7);
    }

    @Test
    void aPipelineThatHasEndedLeavesNoThread() throws InterruptedException {
        rig.name = "one-of-its-own";
        ScriptedSource source = ScriptedSource.log("c".repeat(10));
        Pipeline pipeline = rig.start(source);
        until("delivered", () -> source.pruned("log") == 10);
        for (int i = 0; i < 5; i++) {
            int sessions = source.sessions();
            source.failNextPoll(new TidegateException(ErrorCode.SOURCE_UNAVAILABLE, "cut"));
            until(
                    "another session",
                    () -> source.sessions() > sessions && !source.openNow().isEmpty());
        }
        assertThat(threads()).as("pipeline, store, source, sink, reader").isLessThanOrEqualTo(5);
        pipeline.stop();
        assertThat(pipeline.await(PipelineRig.LIMIT)).isNotNull();
        until("no thread is left", () -> threads() == 0);
    }

    private static long threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("tidegate one-of-its-own"))
                .count();
    }
}
