package io.tidegate.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidegate.engine.Pipeline;
import io.tidegate.engine.PipelineOptions;
import io.tidegate.engine.PipelineOptions.RejectPolicy;
import io.tidegate.engine.env.Environment;
import io.tidegate.engine.env.Threads;
import io.tidegate.engine.store.FileStateStore;
import io.tidegate.spi.Source;
import io.tidegate.testkit.await.Await;
import io.tidegate.testkit.disk.SimulatedDisk;
import io.tidegate.testkit.fake.NumberPositions;
import io.tidegate.testkit.fake.ScriptedSink;
import io.tidegate.testkit.fake.Trouble;
import io.tidegate.testkit.fake.TroubledStore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;

/** Pipelines with real threads over one simulated disk and one scripted sink. Options can be set before a start. */
final class PipelineRig implements AutoCloseable {

    static final Duration LIMIT = Duration.ofSeconds(20);

    final ScriptedSink sink = new ScriptedSink();
    final ShiftedClock clock = new ShiftedClock();
    String name = "test";
    int batchChanges = 7;
    int inFlightBatches = 8;
    long inFlightBytes = 1 << 20;
    Duration checkpointInterval = Duration.ofMillis(5);
    long checkpointChanges = 1_000;
    RejectPolicy rejects = RejectPolicy.RETRY;
    Duration retryInitial = Duration.ofMillis(10);
    Duration retryMax = Duration.ofMillis(50);
    Duration stopTimeout = Duration.ofSeconds(2);
    Trouble storeTrouble = Trouble.NONE;

    private final SimulatedDisk disk = new SimulatedDisk(new SplittableRandom(1));
    private final List<Pipeline> started = new ArrayList<>();

    Pipeline start(Source source) {
        Environment environment = new Environment(clock, new SplittableRandom(1), Threads.system(), disk);
        Pipeline pipeline = new Pipeline(
                new Pipeline.Definition(
                        name,
                        source,
                        sink,
                        () -> (change, out) -> {},
                        options(),
                        () -> new TroubledStore(
                                FileStateStore.open(state(), "test"), (call, what) -> storeTrouble.before(call, what))),
                environment);
        started.add(pipeline);
        pipeline.start();
        return pipeline;
    }

    private PipelineOptions options() {
        return new PipelineOptions(
                batchChanges,
                1 << 20,
                inFlightBatches,
                inFlightBytes,
                checkpointInterval,
                checkpointChanges,
                rejects,
                retryInitial,
                retryMax,
                stopTimeout);
    }

    /** The position that the store holds of a split. */
    int stored(String id) {
        return FileStateStore.show(state()).splits().stream()
                .filter(split -> split.plan().id().equals(id))
                .map(split -> split.progress().position())
                .mapToInt(position -> position instanceof NumberPositions.Place place ? place.value() : 0)
                .findFirst()
                .orElse(0);
    }

    private FileStateStore.Options state() {
        return new FileStateStore.Options(disk, Path.of("/state"), name, new NumberPositions());
    }

    static void until(String what, BooleanSupplier condition) {
        Await.until(what, LIMIT, condition::getAsBoolean);
    }

    static List<String> names(String split, int from, int to) {
        return IntStream.range(from, to).mapToObj(i -> split + ":" + i).toList();
    }

    @Override
    public void close() {
        sink.release();
        for (Pipeline pipeline : started) {
            pipeline.stop();
            try {
                assertThat(pipeline.await(LIMIT)).as("the end of a pipeline").isNotNull();
            } catch (InterruptedException e) {
                throw new AssertionError("interrupted while a pipeline ends", e);
            }
        }
    }
}
