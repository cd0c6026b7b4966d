package io.tidegate.testkit.engine;

import static io.tidegate.testkit.engine.PipelineRig.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.tidegate.engine.Pipeline;
import io.tidegate.engine.PipelineStatus;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.Finding;
import io.tidegate.spi.SnapshotProgress;
import io.tidegate.spi.TidegateException;
import io.tidegate.testkit.fake.ScriptedSource;
import io.tidegate.testkit.fake.Trouble.Call;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a running pipeline shows of itself. */
class PipelineStatusTest {

    private final PipelineRig rig = new PipelineRig();
    private final CountDownLatch hang = new CountDownLatch(1);

    @AfterEach
    void stop() {
        hang.countDown();
        rig.close();
    }

    @Test
    void showsTheThreePositionsAndHowFarTheyLieApart() {
        ScriptedSource source = ScriptedSource.log("ccc");
        Pipeline pipeline = rig.start(source);
        until("acknowledged", () -> source.pruned("log") == 3);
        rig.storeTrouble = (call, what) -> {
            if (call == Call.WRITE_STATE) {
                hang.await();
            }
        };
        source.append("log", "cccc");

        until(
                "settled and not persisted",
                () -> Double.valueOf(4)
                        .equals(pipeline.status().places().unpersisted().units()));
        rig.clock.forward(Duration.ofSeconds(5));
        until(
                "for a while",
                () -> pipeline.status().places().unpersisted().time().compareTo(Duration.ofSeconds(5)) >= 0);
        assertThat(pipeline.status().splits())
                .containsExactly(new PipelineStatus.Split(
                        "log",
                        new PipelineStatus.Place("7", 7.0),
                        new PipelineStatus.Place("3", 3.0),
                        new PipelineStatus.Place("3", 3.0)));
        assertThat(pipeline.status().measures())
                .containsEntry("frontier_position", 7.0)
                .containsEntry("persisted_position", 3.0)
                .containsEntry("acknowledged_position", 3.0);
        hang.countDown();
        until(
                "persisted",
                () -> pipeline.status().places().unpersisted().equals(new PipelineStatus.Lag(0.0, Duration.ZERO)));
    }

    @Test
    void keepsItsPlacesBetweenTwoSessions() {
        rig.retryInitial = Duration.ofHours(1);
        rig.retryMax = Duration.ofHours(1);
        ScriptedSource source = ScriptedSource.log("ccc");
        Pipeline pipeline = rig.start(source);
        until("acknowledged", () -> source.pruned("log") == 3);
        until( // a session can end before its first status
                "seen",
                () -> Double.valueOf(3).equals(pipeline.status().measures().get("acknowledged_position")));
        source.failNextPoll(new TidegateException(ErrorCode.SOURCE_UNAVAILABLE, "cut"));
        until("between", () -> pipeline.status().state() == PipelineStatus.State.BACKING_OFF);

        assertThat(pipeline.status().splits()).hasSize(1);
        assertThat(pipeline.status().measures()).containsEntry("acknowledged_position", 3.0);
    }

    @Test
    void ofVeryManySplitsItShowsThoseThatAreReadAndCountsTheOthers() {
        List<ScriptedSource.Script> scripts = new ArrayList<>();
        List<String> chunks = new ArrayList<>();
        for (int i = 0; i < 3_000; i++) {
            chunks.add("chunk" + i);
            scripts.add(new ScriptedSource.Script("chunk" + i, List.of(), "r", true));
        }
        scripts.add(new ScriptedSource.Script("log", chunks, "", false));
        ScriptedSource source = new ScriptedSource(scripts);
        source.trouble((call, what) -> {
            if (call == Call.ROW && (what.equals("chunk5:0") || what.equals("chunk1500:0"))) {
                hang.await();
            }
        });
        Pipeline pipeline = rig.start(source);
        until("two chunks hang", () -> pipeline.status().places().done() == 1_499);

        assertThat(pipeline.status().places().known()).isEqualTo(3_001);
        assertThat(pipeline.status().splits())
                .extracting(PipelineStatus.Split::id)
                .containsExactly("chunk5", "chunk1500", "log");
        hang.countDown();
        until("all chunks are done", () -> pipeline.status().places().done() == 3_000);
    }

    @Test
    void keepsTheLastFailureOfEachCodeWithHowOftenAndSinceWhen() {
        ScriptedSource source = ScriptedSource.log("ccc");
        Pipeline pipeline = rig.start(source);
        for (int i = 0; i < 3; i++) {
            int sessions = i + 1;
            until(
                    "reading",
                    () -> source.sessions() == sessions && source.openNow().contains("log"));
            source.failNextPoll(new TidegateException(ErrorCode.SOURCE_UNAVAILABLE, "cut " + i));
            until("failed", () -> source.sessions() > sessions);
        }
        rig.sink.refuse("log:3");
        source.append("log", "c");
        until("another failure", () -> pipeline.status().errors().size() == 2);

        PipelineStatus.Failure refused = pipeline.status().errors().get(0);
        PipelineStatus.Failure cut = pipeline.status().errors().get(1);
        assertThat(refused.code()).isEqualTo(ErrorCode.REJECTED);
        assertThat(pipeline.status().lastError()).isEqualTo(refused);
        assertThat(cut.code()).isEqualTo(ErrorCode.SOURCE_UNAVAILABLE);
        assertThat(cut.message()).isEqualTo("cut 2");
        assertThat(cut.count()).isEqualTo(3);
        assertThat(cut.first()).isBefore(cut.last());
    }

    @Test
    void showsWhatTheSourcePublishes() {
        ScriptedSource source = ScriptedSource.log("c");
        Pipeline pipeline = rig.start(source);
        until("reading", () -> source.pruned("log") == 1);
        Finding lost = Finding.error(
                ErrorCode.TABLE_LOST, "table a", "its key is gone", "ALTER TABLE a ADD PRIMARY KEY (id);");
        SnapshotProgress half = new SnapshotProgress("a", 50, 100, 1, 2);
        source.context().problems(List.of(lost));
        source.context().snapshot(List.of(half));

        until("shown", () -> pipeline.status().problems().equals(List.of(lost)));
        until("shown", () -> pipeline.status().snapshot().tables().size() == 1);
        assertThat(pipeline.status().snapshot().tables().get(0).progress()).isEqualTo(half);
        source.context().snapshot(List.of());
        until("over", () -> pipeline.status().snapshot().tables().isEmpty());
    }

    @Test
    void measuresTheDelayOfWhatWasDeliveredWithinAboutAMinute() {
        Pipeline pipeline = rig.start(ScriptedSource.log("c"));
        until("delivered", () -> pipeline.status().delivered() == 1);

        PipelineStatus.Delays delays = pipeline.status().delivery().delays();
        Duration sinceTheEpoch = Duration.ofMillis(rig.clock.epochMillis()); // when scripted changes were committed
        assertThat(delays.newest()).isBetween(sinceTheEpoch.minusSeconds(60), sinceTheEpoch);
        assertThat(delays.median()).isGreaterThanOrEqualTo(delays.newest());
        assertThat(delays.p99()).isEqualTo(delays.median());
        rig.clock.forward(Duration.ofMinutes(2));
        until("the window is empty", () -> pipeline.status().delivery().delays().p99() == null);
        assertThat(pipeline.status().delivery().delays().newest()).isEqualTo(delays.newest());
    }
}
