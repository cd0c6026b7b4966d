package io.tidegate.testkit.engine;

import static io.tidegate.testkit.engine.PipelineRig.names;
import static io.tidegate.testkit.engine.PipelineRig.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.tidegate.engine.Pipeline;
import io.tidegate.engine.PipelineStatus;
import io.tidegate.spi.ErrorCode;
import io.tidegate.testkit.fake.ScriptedSource;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A sink that refuses changes for good, in the accept and in the flush (I11). */
class PipelineRejectsTest {

    private final PipelineRig rig = new PipelineRig();

    @AfterEach
    void stop() throws InterruptedException {
        rig.close();
    }

    @Test
    void whatComesBeforeARefusedChangeIsMadeDurableWhileItIsRefused() {
        rig.batchChanges = 1;
        ScriptedSource source = ScriptedSource.log("c".repeat(20));
        rig.sink.refuse("log:7");
        Pipeline pipeline = rig.start(source);
        until("refused a few times", () -> rig.sink.refusals() >= 4);
        until("the source knows what comes before it", () -> source.pruned("log") == 7);
        assertThat(rig.sink.durable()).containsExactlyElementsOf(names("log", 0, 7));
        until("the status says why nothing moves", () -> {
            PipelineStatus.Failure last = pipeline.status().lastError();
            return last != null
                    && last.code() == ErrorCode.REJECTED
                    && last.message().contains("log:7 is refused");
        });
        rig.sink.take("log:7");
        until("the source knows", () -> source.pruned("log") == 20);
        assertThat(rig.sink.durable()).containsExactlyElementsOf(names("log", 0, 20));
        assertThat(source.sessions()).isEqualTo(1);
    }

    @Test
    void nothingOvertakesAChangeThatIsRefusedInTheFlush() {
        rig.batchChanges = 2;
        rig.inFlightBatches = 30;
        ScriptedSource source = ScriptedSource.log("c".repeat(200));
        rig.sink.refuseInFlush();
        for (String refused : new String[] {"log:5", "log:6", "log:100", "log:199"}) {
            rig.sink.refuse(refused);
        }
        rig.start(source);
        for (String refused : new String[] {"log:5", "log:6", "log:100", "log:199"}) {
            int before = rig.sink.refusals();
            until("refused again", () -> rig.sink.refusals() >= before + 2);
            assertThat(rig.sink.durable()).doesNotContain(refused);
            rig.sink.take(refused);
        }
        until("the source knows", () -> source.pruned("log") == 200);
        assertThat(rig.sink.durable()).containsExactlyElementsOf(names("log", 0, 200));
        assertThat(source.sessions()).isEqualTo(1);
    }

    @Test
    void aRefusedChangeIsOfferedAgainAtLongerAndLongerIntervalsThatStartAnewAfterIt() {
        rig.retryInitial = Duration.ofMillis(1);
        rig.retryMax = Duration.ofHours(1);
        rig.batchChanges = 1;
        ScriptedSource source = ScriptedSource.log("c".repeat(40));
        rig.start(source);
        for (int i = 0; i < 20; i++) { // never reset, the waits double to minutes
            String refused = "log:" + (40 + i);
            rig.sink.refuse(refused);
            int before = rig.sink.refusals();
            source.append("log", "c");
            until("refused", () -> rig.sink.refusals() > before);
            rig.sink.take(refused);
        }
        until("the source knows", () -> source.pruned("log") == 60);
        assertThat(rig.sink.durable()).containsExactlyElementsOf(names("log", 0, 60));
    }

    @Test
    void aStopWhileAChangeIsRefusedKeepsWhatCameBeforeIt() throws InterruptedException {
        rig.batchChanges = 1;
        rig.checkpointInterval = Duration.ofHours(1);
        ScriptedSource source = ScriptedSource.log("c".repeat(20));
        rig.sink.refuse("log:7");
        Pipeline pipeline = rig.start(source);
        until("refused", () -> rig.sink.refusals() >= 2);
        until("before it", () -> rig.sink.durable().size() == 7);
        pipeline.stop();
        assertThat(pipeline.await(Duration.ofSeconds(5)))
                .isEqualTo(new Pipeline.Outcome(PipelineStatus.State.STOPPED, null));
        assertThat(rig.stored("log")).isEqualTo(7);
        rig.sink.take("log:7");
        rig.checkpointInterval = Duration.ofMillis(5);
        rig.start(source);
        until("the source knows", () -> source.pruned("log") == 20);
        assertThat(rig.sink.durable()).containsExactlyElementsOf(names("log", 0, 20));
    }
}
