package io.tidegate.testkit.engine;

import static io.tidegate.testkit.engine.PipelineRig.names;
import static io.tidegate.testkit.engine.PipelineRig.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.tidegate.engine.Pipeline;
import io.tidegate.engine.PipelineStatus;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.TidegateException;
import io.tidegate.testkit.fake.ScriptedSource;
import io.tidegate.testkit.fake.Trouble;
import io.tidegate.testkit.fake.Trouble.Call;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A pipeline whose store fails or hangs. */
class PipelineStoreTest {

    private final PipelineRig rig = new PipelineRig();
    private final CountDownLatch hang = new CountDownLatch(1);
    private final CountDownLatch hung = new CountDownLatch(1);

    @AfterEach
    void stop() throws InterruptedException {
        hang.countDown();
        rig.close();
    }

    @Test
    void tellsTheSourceNothingUntilAWriteThatFailedAFewTimesIsDurable() {
        ScriptedSource source = ScriptedSource.log("");
        rig.start(source);
        until("reading", () -> !source.openNow().isEmpty());
        AtomicInteger prunedTooEarly = new AtomicInteger();
        AtomicInteger failures = new AtomicInteger(5);
        rig.storeTrouble = failing(failures, () -> prunedTooEarly.addAndGet(source.pruned("log")));
        source.append("log", "c".repeat(20));
        until("the source knows", () -> source.pruned("log") == 20);
        assertThat(failures).hasValueLessThanOrEqualTo(0);
        assertThat(prunedTooEarly).hasValue(0);
        assertThat(rig.sink.durable()).containsExactlyElementsOf(names("log", 0, 20));
        assertThat(source.sessions()).isEqualTo(1);
    }

    @Test
    void triesAgainWithAtLeastItsContentWhenAWriteLandedAndSaidThatItFailed() {
        ScriptedSource source = ScriptedSource.log("c".repeat(40));
        AtomicInteger failures = new AtomicInteger(4);
        rig.storeTrouble = (call, what) -> {
            if (call == Call.STATE_WRITTEN && failures.getAndDecrement() > 0) {
                throw new TidegateException(ErrorCode.STATE_WRITE, "it landed, and nobody knows");
            }
        };
        rig.start(source);
        until("the source knows", () -> source.pruned("log") == 40);
        assertThat(rig.stored("log")).isEqualTo(40);
        assertThat(rig.sink.durable()).containsExactlyElementsOf(names("log", 0, 40));
    }

    @Test
    void aStoreThatHangsShowsAsStalledAndNothingIsAcknowledgedAndAStopEndsInTime() throws InterruptedException {
        ScriptedSource source = ScriptedSource.log("");
        rig.stopTimeout = Duration.ofMillis(500);
        Pipeline pipeline = rig.start(source);
        until("reading", () -> !source.openNow().isEmpty());
        rig.storeTrouble = hanging(Call.WRITE_STATE);
        source.append("log", "c".repeat(5));
        until("a write hangs", () -> hung.getCount() == 0);
        until("delivered", () -> rig.sink.durable().size() == 5);
        until("running", () -> pipeline.status().state() == PipelineStatus.State.RUNNING);
        rig.clock.forward(Duration.ofSeconds(31));
        until("stalled", () -> pipeline.status().state() == PipelineStatus.State.STALLED);
        pipeline.stop();
        assertThat(pipeline.await(Duration.ofSeconds(5))).isNotNull();
        assertThat(source.pruned("log")).isZero();
        hang.countDown();
        until("the write under way, the last one, landed", () -> rig.stored("log") == 5);
    }

    @Test
    void noSessionReadsBeforeTheLastWriteOfTheOneBeforeItHasEnded() {
        ScriptedSource source = ScriptedSource.log("");
        rig.start(source);
        until("reading", () -> !source.openNow().isEmpty());
        CountDownLatch writing = new CountDownLatch(1);
        rig.storeTrouble = (call, what) -> {
            if (call == Call.WRITE_STATE) {
                writing.countDown();
                hang.await();
            }
        };
        source.append("log", "c".repeat(5));
        until("a write is under way", () -> writing.getCount() == 0);
        source.failNextPoll(new TidegateException(ErrorCode.SOURCE_UNAVAILABLE, "cut"));
        until("the reader is gone", () -> source.openNow().isEmpty());
        source.append("log", "c".repeat(5));
        hang.countDown();
        until("the source knows", () -> source.pruned("log") == 10);
        assertThat(rig.sink.durable()).containsExactlyElementsOf(names("log", 0, 10));
    }

    @Test
    void aStoreThatHangsOrFailsWhileTheSourceGetsReadyOnlyDelaysTheStart() {
        ScriptedSource source = ScriptedSource.log("c".repeat(5));
        AtomicInteger failures = new AtomicInteger(3);
        Trouble failing = failing(failures, () -> {});
        rig.storeTrouble = (call, what) -> {
            failing.before(call, what);
            if (call == Call.READ_STATE && failures.getAndDecrement() > -3) {
                throw new TidegateException(ErrorCode.STATE_WRITE, "cannot be read");
            }
        };
        Pipeline pipeline = rig.start(source);
        until("the source knows", () -> source.pruned("log") == 5);
        until("shown", () -> pipeline.status().lastError() != null);
        assertThat(rig.sink.durable()).containsExactlyElementsOf(names("log", 0, 5));
    }

    @Test
    void aStopEndsInTimeAlthoughTheStoreHangsBeforeAnythingIsRead() throws InterruptedException {
        rig.stopTimeout = Duration.ofMillis(300);
        rig.storeTrouble = hanging(Call.READ_STATE);
        Pipeline pipeline = rig.start(ScriptedSource.log("c"));
        until("the read hangs", () -> hung.getCount() == 0);
        rig.clock.forward(Duration.ofSeconds(31));
        until("stalled", () -> pipeline.status().state() == PipelineStatus.State.STALLED);
        pipeline.stop();
        assertThat(pipeline.await(Duration.ofSeconds(5))).isNotNull();
    }

    private Trouble hanging(Call where) {
        return (call, what) -> {
            if (call == where) {
                hung.countDown();
                hang.await();
            }
        };
    }

    private static Trouble failing(AtomicInteger times, Runnable seen) {
        return (call, what) -> {
            if (call == Call.WRITE_STATE && times.getAndDecrement() > 0) {
                seen.run();
                throw new TidegateException(ErrorCode.STATE_WRITE, "no space");
            }
        };
    }
}
