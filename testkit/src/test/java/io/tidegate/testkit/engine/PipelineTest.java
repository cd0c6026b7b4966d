package io.tidegate.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidegate.engine.Pipeline;
import io.tidegate.engine.PipelineOptions;
import io.tidegate.engine.PipelineOptions.RejectPolicy;
import io.tidegate.engine.PipelineStatus;
import io.tidegate.engine.env.Environment;
import io.tidegate.engine.store.FileStateStore;
import io.tidegate.spi.Checkpoint;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.Finding;
import io.tidegate.spi.Position;
import io.tidegate.spi.Positions;
import io.tidegate.spi.Source;
import io.tidegate.spi.SourceContext;
import io.tidegate.spi.SourceSession;
import io.tidegate.spi.TidegateException;
import io.tidegate.testkit.await.Await;
import io.tidegate.testkit.disk.SimulatedDisk;
import io.tidegate.testkit.fake.NumberPositions;
import io.tidegate.testkit.fake.ScriptedSink;
import io.tidegate.testkit.fake.ScriptedSource;
import io.tidegate.testkit.fake.ScriptedSource.Script;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The engine with its real threads, between a scripted source and a scripted sink. */
class PipelineTest {

    private static final Duration LIMIT = Duration.ofSeconds(20);

    private final SimulatedDisk disk = new SimulatedDisk(new SplittableRandom(1));
    private final ScriptedSink sink = new ScriptedSink();
    private final List<Pipeline> started = new ArrayList<>();

    @AfterEach
    void stopAll() throws InterruptedException {
        sink.release();
        for (Pipeline pipeline : started) {
            pipeline.stop();
            assertThat(pipeline.await(LIMIT))
                    .as("the end of " + pipeline.name())
                    .isNotNull();
        }
    }

    @Test
    void deliversChunksBeforeTheLogAndTellsTheSourceWhatIsDurable() {
        ScriptedSource source = new ScriptedSource(List.of(
                new Script("a", List.of(), "cccc", true),
                new Script("b", List.of(), "ccc", true),
                new Script("log", List.of("a", "b"), "rcmrrc", false)));
        start(source, RejectPolicy.RETRY);
        until("the source knows", () -> source.pruned("log") == 6);
        List<String> durable = sink.durable();
        assertThat(durable)
                .containsExactlyInAnyOrder(
                        "a:0", "a:1", "a:2", "a:3", "b:0", "b:1", "b:2", "log:0", "log:1", "log:3", "log:4", "log:5");
        assertThat(durable.subList(7, 12)).containsExactly("log:0", "log:1", "log:3", "log:4", "log:5");
    }

    @Test
    void endsByItselfWhenEverythingOfABoundedSourceIsDurable() throws InterruptedException {
        ScriptedSource source = new ScriptedSource(
                List.of(new Script("a", List.of(), "ccc", true), new Script("b", List.of("a"), "c".repeat(500), true)));
        Pipeline pipeline = start(source, RejectPolicy.RETRY);
        Pipeline.Outcome outcome = pipeline.await(LIMIT);
        assertThat(outcome).isEqualTo(new Pipeline.Outcome(PipelineStatus.State.COMPLETED, null));
        assertThat(sink.durable()).hasSize(503);
    }

    @Test
    void deliversAgainFromTheCheckpointWhenTheSinkFailedBeforeOrAfterItWrote() {
        ScriptedSource source = ScriptedSource.log("rrc".repeat(50));
        sink.failBefore(2);
        sink.failAfter(2);
        start(source, RejectPolicy.RETRY);
        until("the source knows", () -> source.pruned("log") == 150);
        assertThat(new LinkedHashSet<>(sink.durable())).containsExactlyElementsOf(names(0, 150));
        assertThat(source.sessions()).isEqualTo(5);
    }

    @Test
    void goesOnAfterTheSourceFailed() {
        ScriptedSource source = ScriptedSource.log("c".repeat(20));
        Pipeline pipeline = start(source, RejectPolicy.RETRY);
        until("delivered", () -> source.pruned("log") == 20);
        source.failNextPoll(new TidegateException(ErrorCode.SOURCE_UNAVAILABLE, "cut"));
        until("another session", () -> source.sessions() == 2);
        source.append("log", "c".repeat(5));
        until("delivered", () -> source.pruned("log") == 25);
        assertThat(sink.durable()).containsExactlyElementsOf(names(0, 25));
        assertThat(pipeline.status().lastError()).isNotNull();
    }

    @Test
    void stopsWithAdviceWhenTryingAgainCannotMendIt() throws InterruptedException {
        ScriptedSource source = ScriptedSource.log("c".repeat(20));
        source.failNextPoll(new TidegateException(ErrorCode.POSITION_LOST, "the slot is gone"));
        Pipeline pipeline = start(source, RejectPolicy.RETRY);
        Pipeline.Outcome outcome = pipeline.await(LIMIT);
        assertThat(outcome).isNotNull();
        assertThat(outcome.state()).isEqualTo(PipelineStatus.State.FAILED);
        assertThat(outcome.exitStatus()).isEqualTo(ErrorCode.POSITION_LOST.exitStatus());
        assertThat(source.sessions()).isEqualTo(1);
    }

    @Test
    void aStopDrainsWhatWasReadAndTellsTheSource() throws InterruptedException {
        ScriptedSource source = ScriptedSource.log("rc".repeat(5_000));
        Pipeline pipeline = start(source, RejectPolicy.RETRY);
        until("something is delivered", () -> !sink.durable().isEmpty());
        pipeline.stop();
        Pipeline.Outcome outcome = pipeline.await(LIMIT);
        assertThat(outcome).isEqualTo(new Pipeline.Outcome(PipelineStatus.State.STOPPED, null));
        int delivered = sink.durable().size();
        assertThat(source.pruned("log")).isEqualTo(delivered - delivered % 2);
        start(source, RejectPolicy.RETRY);
        until("the source knows", () -> source.pruned("log") == 10_000);
        assertThat(new LinkedHashSet<>(sink.durable())).containsExactlyElementsOf(names(0, 10_000));
        assertThat(sink.durable().size()).isLessThanOrEqualTo(10_001);
    }

    @Test
    void aStopEndsInTimeAlthoughTheSinkHangs() throws InterruptedException {
        ScriptedSource source = ScriptedSource.log("c".repeat(20));
        sink.hang();
        Pipeline pipeline = start(source, RejectPolicy.RETRY);
        until("something is in flight", () -> pipeline.status().unsettledBatches() > 0);
        pipeline.stop();
        assertThat(pipeline.await(Duration.ofSeconds(5))).isNotNull();
        assertThat(source.pruned("log")).isZero();
    }

    @Test
    void offersARefusedChangeAgainAndLetsNothingOvertakeIt() {
        ScriptedSource source = ScriptedSource.log("c".repeat(20));
        sink.refuse("log:7");
        Pipeline pipeline = start(source, RejectPolicy.RETRY);
        until("refused twice", () -> sink.refusals() >= 2);
        assertThat(sink.durable()).doesNotContain("log:7", "log:8", "log:19");
        sink.take("log:7");
        until("the source knows", () -> source.pruned("log") == 20);
        assertThat(sink.durable()).containsExactlyElementsOf(names(0, 20));
        until("counted", () -> pipeline.status().rejected() >= 2);
        assertThat(source.sessions()).isEqualTo(1);
    }

    @Test
    void aStopDoesNotWaitForARefusedChangeAndLeavesItUnsettled() throws InterruptedException {
        ScriptedSource source = ScriptedSource.log("c".repeat(20));
        sink.refuse("log:7");
        Pipeline pipeline = start(source, RejectPolicy.RETRY, Duration.ofSeconds(60));
        until("refused", () -> sink.refusals() >= 1);
        pipeline.stop();
        assertThat(pipeline.await(Duration.ofSeconds(5)))
                .isEqualTo(new Pipeline.Outcome(PipelineStatus.State.STOPPED, null));
        assertThat(source.pruned("log")).isLessThanOrEqualTo(7);
        sink.take("log:7");
        start(source, RejectPolicy.RETRY);
        until("the source knows", () -> source.pruned("log") == 20);
        assertThat(new LinkedHashSet<>(sink.durable())).containsExactlyElementsOf(names(0, 20));
    }

    @Test
    void haltsAtARefusedChangeIfAskedTo() throws InterruptedException {
        ScriptedSource source = ScriptedSource.log("c".repeat(20));
        sink.refuse("log:7");
        Pipeline.Outcome outcome = start(source, RejectPolicy.HALT).await(LIMIT);
        assertThat(outcome).isNotNull();
        assertThat(outcome.failure()).isNotNull().hasMessageContaining("log:7 is refused");
        assertThat(outcome.exitStatus()).isEqualTo(ErrorCode.REJECTED.exitStatus());
        assertThat(source.pruned("log")).isLessThanOrEqualTo(7);
    }

    @Test
    void opensNoNewSinkWhileAHandOverOfADeadSessionHangs() {
        ScriptedSource source = ScriptedSource.log("c".repeat(20));
        sink.hang();
        Pipeline pipeline = start(source, RejectPolicy.RETRY);
        until("something is in flight", () -> pipeline.status().unsettledBatches() > 0);
        source.failNextPoll(new TidegateException(ErrorCode.SOURCE_UNAVAILABLE, "cut"));
        until("stalled", () -> pipeline.status().state() == PipelineStatus.State.STALLED);
        assertThat(source.openNow()).isEmpty();
        assertThat(source.sessions()).isEqualTo(1);
        sink.release();
        until("the source knows", () -> source.pruned("log") == 20);
        assertThat(new LinkedHashSet<>(sink.durable())).containsExactlyElementsOf(names(0, 20));
    }

    @Test
    void aStuckPipelineDelaysNoOther() {
        sink.hang();
        start(ScriptedSource.log("c".repeat(20)), RejectPolicy.RETRY);
        ScriptedSource free = ScriptedSource.log("c".repeat(50));
        ScriptedSink other = new ScriptedSink();
        Pipeline pipeline = new Pipeline(
                definition(
                        new SimulatedDisk(new SplittableRandom(2)),
                        "other",
                        free,
                        other,
                        RejectPolicy.RETRY,
                        Duration.ofSeconds(2)),
                Environment.system());
        started.add(pipeline);
        pipeline.start();
        until("the other one is done", () -> free.pruned("log") == 50);
        assertThat(other.durable()).hasSize(50);
    }

    @Test
    void aFaultOnThePipelinesOwnThreadEndsThePipelineAndIsSaid() throws InterruptedException {
        ScriptedSource source = ScriptedSource.log("c".repeat(20));
        Pipeline pipeline = start(new Incomparable(source), RejectPolicy.RETRY, Duration.ofSeconds(2));

        Pipeline.Outcome outcome = pipeline.await(LIMIT);

        assertThat(outcome).isNotNull();
        assertThat(outcome.state()).isEqualTo(PipelineStatus.State.FAILED);
        assertThat(outcome.exitStatus()).isEqualTo(ErrorCode.INTERNAL.exitStatus());
        until("its readers are closed", () -> source.openNow().isEmpty());
    }

    /** A source whose positions cannot be compared: only the gate compares them, on the pipeline's thread. */
    private record Incomparable(ScriptedSource source) implements Source {
        @Override
        public String system() {
            return "fake";
        }

        @Override
        public Positions positions() {
            return new Positions() {
                @Override
                public String print(Position position) {
                    return source.positions().print(position);
                }

                @Override
                public Position parse(String text) {
                    return source.positions().parse(text);
                }

                @Override
                public int compare(Position left, Position right) {
                    throw new IllegalArgumentException(left + " cannot be compared with " + right);
                }
            };
        }

        @Override
        public List<Finding> check(Checkpoint durable) {
            return source.check(durable);
        }

        @Override
        public SourceSession open(SourceContext context) throws InterruptedException {
            return source.open(context);
        }

        @Override
        public Removal removal(Checkpoint durable) {
            return source.removal(durable);
        }
    }

    private Pipeline start(ScriptedSource source, RejectPolicy rejects) {
        return start(source, rejects, Duration.ofSeconds(2));
    }

    private Pipeline start(Source source, RejectPolicy rejects, Duration stopTimeout) {
        Pipeline pipeline =
                new Pipeline(definition(disk, "test", source, sink, rejects, stopTimeout), Environment.system());
        started.add(pipeline);
        pipeline.start();
        return pipeline;
    }

    private static Pipeline.Definition definition(
            SimulatedDisk disk,
            String name,
            Source source,
            ScriptedSink to,
            RejectPolicy rejects,
            Duration stopTimeout) {
        PipelineOptions options = new PipelineOptions(
                7,
                1 << 20,
                8,
                1 << 20,
                Duration.ofMillis(5),
                1_000,
                rejects,
                Duration.ofMillis(20),
                Duration.ofMillis(100),
                stopTimeout);
        return new Pipeline.Definition(
                name,
                source,
                to,
                () -> (change, out) -> {},
                options,
                () -> FileStateStore.open(
                        new FileStateStore.Options(disk, Path.of("/state"), name, new NumberPositions()), "test"));
    }

    private static List<String> names(int from, int to) {
        return IntStream.range(from, to).mapToObj(i -> "log:" + i).toList();
    }

    private static void until(String what, BooleanSupplier condition) {
        Await.until(what, LIMIT, condition::getAsBoolean);
    }
}
