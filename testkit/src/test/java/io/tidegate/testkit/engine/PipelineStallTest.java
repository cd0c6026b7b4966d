package io.tidegate.testkit.engine;

import static io.tidegate.testkit.engine.PipelineRig.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.tidegate.engine.Pipeline;
import io.tidegate.engine.PipelineStatus;
import io.tidegate.engine.PipelineStatus.State;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.TidegateException;
import io.tidegate.testkit.await.Await;
import io.tidegate.testkit.fake.ScriptedSource;
import io.tidegate.testkit.fake.Trouble;
import io.tidegate.testkit.fake.Trouble.Call;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What makes no progress although it could is stalled within a minute, and says on what; what is idle, or slow, is not. */
class PipelineStallTest {

    private static final Duration MINUTE = Duration.ofSeconds(60);

    private final PipelineRig rig = new PipelineRig();
    private final CountDownLatch hang = new CountDownLatch(1);
    private final Semaphore allowed = new Semaphore(0);

    @AfterEach
    void stop() {
        hang.countDown();
        allowed.release(1_000_000);
        rig.close();
    }

    @ParameterizedTest
    @CsvSource({"OPEN_SINK,open", "ACCEPT,accept", "FLUSH,flush"})
    void aCallToTheSinkThatDoesNotReturnIsNamed(Call call, String name) {
        rig.sink.trouble(hangingAt(call));
        Pipeline pipeline = rig.start(ScriptedSource.log("cc"));
        until("the call", () -> waiting(hang));

        assertStalls(pipeline, Duration.ofSeconds(31), "the sink's " + name + " has not returned");

        hang.countDown();
        until("it goes on", () -> pipeline.status().state() == State.RUNNING);
        assertThat(pipeline.status().stalledOn()).isEmpty();
    }

    @Test
    void aSinkThatTakesEverythingAndReportsNothingIsNamed() {
        rig.sink.reportNothing();
        Pipeline pipeline = rig.start(ScriptedSource.log("cc"));
        until("flushed", () -> rig.sink.flushes() == 1);

        assertStalls(pipeline, Duration.ofSeconds(31), "the sink took batches and reports none durable");
    }

    @Test
    void aSinkWithSlowCallsThatReturnIsNotStalled() {
        rig.batchChanges = 1;
        rig.sink.trouble((call, what) -> {
            if (call == Call.FLUSH || call == Call.ACCEPT) {
                allowed.acquire();
            }
        });
        Pipeline pipeline = rig.start(ScriptedSource.log("c".repeat(30)));
        until("the first call", allowed::hasQueuedThreads);

        for (int i = 0; i < 6; i++) {
            assertMoves(pipeline, Duration.ofSeconds(25));
            allowed.release();
            until("the next call", () -> allowed.availablePermits() == 0 && allowed.hasQueuedThreads());
        }
    }

    @Test
    void aChangeThatIsRefusedAgainAndAgainIsNamedWithHowOften() {
        ScriptedSource source = ScriptedSource.log("ccc");
        rig.sink.refuse("log:1");
        Pipeline pipeline = rig.start(source);
        until("refused a few times", () -> rig.sink.refusals() >= 3);

        assertStalls(pipeline, Duration.ofSeconds(31), "the sink refuses a change", "log:1 is refused", "offered ");

        rig.sink.take("log:1");
        until("it goes on", () -> pipeline.status().state() == State.RUNNING);
    }

    @Test
    void changesThatAreRefusedOneAfterTheOtherAreNoStall() {
        rig.batchChanges = 1;
        ScriptedSource source = ScriptedSource.log("");
        Pipeline pipeline = rig.start(source);
        for (int i = 0; i < 6; i++) {
            String refused = "log:" + i;
            rig.sink.refuse(refused);
            int before = rig.sink.refusals();
            source.append("log", "c");
            until("refused", () -> rig.sink.refusals() > before);
            assertMoves(pipeline, Duration.ofSeconds(25));
            rig.sink.take(refused);
            int taken = i + 1;
            until("taken", () -> source.pruned("log") == taken);
        }
    }

    @Test
    void aCallToTheStoreThatDoesNotReturnIsNamed() {
        ScriptedSource source = ScriptedSource.log("");
        Pipeline pipeline = rig.start(source);
        until("reading", () -> pipeline.status().state() == State.RUNNING);
        rig.storeTrouble = hangingAt(Call.WRITE_STATE);
        source.append("log", "c");
        until("a write hangs", () -> waiting(hang));

        assertStalls(pipeline, Duration.ofSeconds(31), "the store's write has not returned");
    }

    @Test
    void aStoreWhoseWritesFailAgainAndAgainIsNamedWithWhy() {
        ScriptedSource source = ScriptedSource.log("");
        Pipeline pipeline = rig.start(source);
        until("reading", () -> pipeline.status().state() == State.RUNNING);
        rig.storeTrouble = (call, what) -> {
            if (call == Call.WRITE_STATE) {
                throw new TidegateException(ErrorCode.STATE_WRITE, "no space left");
            }
        };
        source.append("log", "c");
        until("failed", () -> pipeline.status().lastError() != null);

        assertStalls(pipeline, Duration.ofSeconds(31), "writes to the store fail", "no space left");

        rig.storeTrouble = Trouble.NONE;
        until("it goes on", () -> pipeline.status().state() == State.RUNNING);
    }

    @Test
    void aSourceThatGivesNothingWhileItsLogGrowsIsNamed() {
        ScriptedSource source = ScriptedSource.log("c");
        Pipeline pipeline = rig.start(source);
        until("delivered", () -> source.pruned("log") == 1);
        source.context().measured("retained_bytes", 1_000);
        assertMoves(pipeline, Duration.ofSeconds(11));
        source.context().measured("retained_bytes", 2_000);
        assertMoves(pipeline, Duration.ofSeconds(1));

        assertStalls(pipeline, Duration.ofSeconds(31), "the source's log grows, and the source gives nothing of it");

        source.append("log", "m");
        until("it goes on", () -> pipeline.status().state() == State.RUNNING);
    }

    @Test
    void anIdleSourceIsNotStalledHoweverLong() {
        ScriptedSource source = ScriptedSource.log("c");
        Pipeline pipeline = rig.start(source);
        until("delivered", () -> source.pruned("log") == 1);
        source.context().measured("retained_bytes", 1_000);

        for (int i = 0; i < 8; i++) {
            assertMoves(pipeline, MINUTE);
        }
    }

    @Test
    void aLogThatGrowsAndIsFollowedByMarkersIsNotStalled() {
        ScriptedSource source = ScriptedSource.log("c");
        Pipeline pipeline = rig.start(source);
        until("delivered", () -> source.pruned("log") == 1);

        for (int i = 0; i < 5; i++) {
            source.context().measured("retained_bytes", 1_000 * i);
            source.append("log", "m");
            int next = i + 2;
            until("followed", () -> source.pruned("log") == next);
            assertMoves(pipeline, Duration.ofSeconds(39));
        }
    }

    @Test
    void aLongTransactionThatIsReadSlowlyIsNotStalledAlthoughNoPositionMoves() {
        ScriptedSource source = ScriptedSource.log("c");
        Pipeline pipeline = rig.start(source);
        until("delivered", () -> source.pruned("log") == 1);

        for (int i = 0; i < 8; i++) {
            source.context().measured("retained_bytes", 1_000 * i);
            source.append("log", "r");
            int rows = i + 2;
            until("read", () -> rig.sink.durable().size() == rows);
            assertMoves(pipeline, Duration.ofSeconds(39));
        }
        assertThat(source.pruned("log")).isEqualTo(1);
    }

    @Test
    void aPartOfASnapshotThatGivesNoRowIsNamed() {
        ScriptedSource source = snapshot();
        source.trouble((call, what) -> {
            if (call == Call.ROW && what.equals("chunk:3")) {
                hang.await();
            }
        });
        Pipeline pipeline = rig.start(source);
        until("it hangs", () -> waiting(hang));

        assertStalls(pipeline, Duration.ofSeconds(46), "the source gives nothing of split chunk");
    }

    @Test
    void aSlowSnapshotIsNotStalled() {
        ScriptedSource source = snapshot();
        source.trouble((call, what) -> {
            if (call == Call.ROW) {
                allowed.acquire();
            }
        });
        rig.batchChanges = 1;
        Pipeline pipeline = rig.start(source);
        until("the first row", allowed::hasQueuedThreads);

        for (int i = 0; i < 4; i++) {
            assertMoves(pipeline, Duration.ofSeconds(40));
            allowed.release();
            int rows = i + 1;
            until("the next row", () -> rig.sink.durable().size() == rows && allowed.hasQueuedThreads());
        }
    }

    @Test
    void aSourceThatDoesNotOpenASplitIsNamedWithWhatItSays() {
        ScriptedSource source = ScriptedSource.log("c");
        source.trouble((call, what) -> {
            if (call == Call.OPEN_SPLIT) {
                source.context().doing("waiting for slot orders, active for pid 7");
                hang.await();
            }
        });
        Pipeline pipeline = rig.start(source);
        until("it hangs", () -> waiting(hang));

        assertStalls(
                pipeline,
                Duration.ofSeconds(31),
                "the source has not opened split log",
                "waiting for slot orders, active for pid 7");
    }

    @Test
    void aSourceThatDoesNotGetReadyIsNamedWithWhatItSaysAndNotWhileItSaysSomethingNew() {
        ScriptedSource source = ScriptedSource.log("c");
        source.trouble((call, what) -> {
            if (call == Call.PREPARE) {
                hang.await();
            }
        });
        Pipeline pipeline = rig.start(source);
        until("it hangs", () -> waiting(hang));
        for (int i = 0; i < 4; i++) {
            source.context().doing("planning table " + i);
            assertMoves(pipeline, Duration.ofSeconds(40));
        }
        source.context().doing("waiting for a transaction to end");

        assertStalls(pipeline, Duration.ofSeconds(46), "the source is not ready: waiting for a transaction to end");
    }

    @Test
    void aSourceThatConfirmsNoAcknowledgementIsNamed() {
        ScriptedSource source = ScriptedSource.log("ccc");
        source.putOffAcknowledgements(Integer.MAX_VALUE);
        Pipeline pipeline = rig.start(source);
        until("persisted", () -> rig.stored("log") == 3);

        assertStalls(pipeline, Duration.ofSeconds(31), "the source does not confirm what is persisted");
        assertThat(pipeline.status().places().unacknowledged().units()).isEqualTo(3.0);
        assertThat(pipeline.status().places().unacknowledged().time()).isGreaterThan(Duration.ofSeconds(30));
        source.putOffAcknowledgements(0);
        until("it goes on", () -> pipeline.status().state() == State.RUNNING);
        assertThat(pipeline.status().places().unacknowledged()).isEqualTo(new PipelineStatus.Lag(0.0, Duration.ZERO));
    }

    @Test
    void sessionsThatFailOneAfterTheOtherAreNamedWithWhyAlsoBetweenThem() {
        ScriptedSource source = ScriptedSource.log("c");
        source.trouble((call, what) -> {
            if (call == Call.OPEN_SPLIT) {
                throw new TidegateException(ErrorCode.SLOT_ACTIVE, "slot orders is active for pid 7");
            }
        });
        Pipeline pipeline = startAndFailTwice(source);

        assertStalls(
                pipeline,
                Duration.ofSeconds(25),
                "session after session fails and gets nothing done",
                "slot orders is active for pid 7");

        for (int i = 0; i < 10; i++) { // whatever phase it is seen in
            rig.clock.forward(Duration.ofSeconds(2));
            assertThat(published(pipeline).state()).isEqualTo(State.STALLED);
        }
        source.trouble(Trouble.NONE);
        rig.clock.forward(rig.retryMax);
        until("it goes on", () -> pipeline.status().state() == State.RUNNING);
    }

    @Test
    void sessionsThatFailInsideTheSameTransactionAreALoopAlthoughRowsAreDelivered() {
        rig.batchChanges = 1;
        ScriptedSource source = ScriptedSource.log("rrrr");
        source.trouble((call, what) -> {
            if (call == Call.ROW && what.equals("log:2")) {
                until("a row is durable", () -> !rig.sink.durable().isEmpty());
                throw new TidegateException(ErrorCode.SOURCE_UNAVAILABLE, "cut");
            }
        });
        Pipeline pipeline = startAndFailTwice(source);

        assertStalls(pipeline, Duration.ofSeconds(25), "session after session fails", "cut");
        assertThat(rig.sink.durable()).contains("log:0");
    }

    @Test
    void sessionsThatFailAndGetOnAreNoLoop() {
        ScriptedSource source = ScriptedSource.log("");
        Pipeline pipeline = rig.start(source);
        for (int i = 1; i <= 6; i++) {
            int expected = i;
            source.append("log", "c");
            until("delivered", () -> source.pruned("log") == expected);
            source.failNextPoll(new TidegateException(ErrorCode.SOURCE_UNAVAILABLE, "cut"));
            until(
                    "the next session reads",
                    () -> source.sessions() == expected + 1 && source.openNow().contains("log"));
            assertMoves(pipeline, Duration.ofSeconds(25));
        }
    }

    @Test
    void anIdleSourceThatLosesItsConnectionNowAndThenIsNoLoop() {
        ScriptedSource source = ScriptedSource.log("");
        Pipeline pipeline = rig.start(source);
        for (int i = 2; i <= 6; i++) {
            int sessions = i;
            until(
                    "reads",
                    () -> source.openNow().contains("log") && pipeline.status().state() == State.RUNNING);
            assertMoves(pipeline, MINUTE);
            source.failNextPoll(new TidegateException(ErrorCode.SOURCE_UNAVAILABLE, "cut"));
            until("the next session", () -> source.sessions() == sessions);
        }
    }

    @Test
    void aDeadSessionThatDoesNotEndIsNamedWithWhatIsLeftOfIt() {
        ScriptedSource source = ScriptedSource.log("c");
        source.trouble(hangingAt(Call.CLOSE_READER));
        Pipeline pipeline = rig.start(source);
        until("delivered", () -> source.pruned("log") == 1);
        source.failNextPoll(new TidegateException(ErrorCode.SOURCE_UNAVAILABLE, "cut"));
        until("it hangs", () -> waiting(hang));

        assertStalls(pipeline, Duration.ofSeconds(4), "the session is over, and this has not ended: reader of log");
    }

    /** Until the second session has failed and the third one is waited for. */
    private Pipeline startAndFailTwice(ScriptedSource source) {
        rig.retryInitial = Duration.ofSeconds(21);
        rig.retryMax = Duration.ofSeconds(21);
        Pipeline pipeline = rig.start(source);
        until(
                "the first failure",
                () -> failures(pipeline) == 1 && pipeline.status().state() == State.BACKING_OFF);
        assertMoves(pipeline, Duration.ofSeconds(21));
        until(
                "the second failure",
                () -> failures(pipeline) == 2 && pipeline.status().state() == State.BACKING_OFF);
        return pipeline;
    }

    private static long failures(Pipeline pipeline) {
        PipelineStatus.Failure last = pipeline.status().lastError();
        return last == null ? 0 : last.count();
    }

    private static ScriptedSource snapshot() {
        return new ScriptedSource(List.of(
                new ScriptedSource.Script("chunk", List.of(), "r".repeat(10), true),
                new ScriptedSource.Script("log", List.of("chunk"), "", false)));
    }

    private void assertStalls(Pipeline pipeline, Duration after, String... on) {
        assertThat(after).isLessThan(MINUTE);
        assertThat(published(pipeline).stalledOn()).as("before").isEmpty();
        rig.clock.forward(after);
        PipelineStatus status = published(pipeline);
        assertThat(status.state()).as("%s", status).isEqualTo(State.STALLED);
        assertThat(status.stalledOn()).contains(on);
    }

    private void assertMoves(Pipeline pipeline, Duration after) {
        published(pipeline);
        rig.clock.forward(after);
        PipelineStatus status = published(pipeline);
        assertThat(status.stalledOn()).isEmpty();
        assertThat(status.state()).isNotEqualTo(State.STALLED);
    }

    /** A status that was made after this call began. */
    private PipelineStatus published(Pipeline pipeline) {
        Instant asked = Instant.ofEpochMilli(rig.clock.epochMillis());
        rig.clock.forward(Duration.ofMillis(200));
        return Await.value(
                "a status",
                PipelineRig.LIMIT,
                () -> Optional.of(pipeline.status())
                        .filter(status -> status.at().isAfter(asked)));
    }

    private Trouble hangingAt(Call where) {
        return (call, what) -> {
            if (call == where) {
                allowed.release();
                hang.await();
            }
        };
    }

    /** Whether somebody waits for this. */
    private boolean waiting(CountDownLatch latch) {
        return Thread.getAllStackTraces().entrySet().stream()
                .anyMatch(entry -> entry.getKey().getName().startsWith("tidegate " + rig.name)
                        && java.util.Arrays.stream(entry.getValue())
                                .anyMatch(frame -> frame.getMethodName().equals("await")
                                        && frame.getClassName()
                                                .equals(latch.getClass().getName())));
    }
}
