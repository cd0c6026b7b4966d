package io.tidegate.server.cli;

import io.tidegate.engine.Pipeline;
import io.tidegate.engine.PipelineOptions;
import io.tidegate.engine.PipelineStatus;
import io.tidegate.engine.env.Clock;
import io.tidegate.engine.env.Environment;
import io.tidegate.engine.env.Threads;
import io.tidegate.engine.store.StateStore;
import io.tidegate.formats.FlatEncoder;
import io.tidegate.formats.JsonEncoder;
import io.tidegate.server.config.ConfiguredPipeline;
import io.tidegate.server.config.PipelineConfig;
import io.tidegate.spi.ChangeEncoder;
import io.tidegate.spi.Disk;
import io.tidegate.spi.TidegateException;
import java.time.Duration;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** Starts pipelines on the engine, with the clock and the threads of this machine. */
final class EngineStarter implements PipelineStarter {

    @Override
    public RunningPipeline start(ConfiguredPipeline configured, Disk disk, Function<Disk, StateStore> store) {
        Environment environment = new Environment(Clock.system(), new SplittableRandom(), Threads.system(), disk);
        Pipeline pipeline = new Pipeline(
                new Pipeline.Definition(
                        configured.name(),
                        configured.source(),
                        configured.sink(),
                        () -> encoder(configured.config().format()),
                        options(configured.config()),
                        () -> store.apply(disk)),
                environment);
        pipeline.start();
        return new OnEngine(pipeline, end(pipeline));
    }

    private record OnEngine(Pipeline pipeline, CompletableFuture<Optional<TidegateException>> ended)
            implements RunningPipeline {
        @Override
        public PipelineStatus status() {
            return pipeline.status();
        }

        @Override
        public void stop() {
            pipeline.stop();
        }
    }

    /** A thread of its own waits for the end, so that nobody who asks has to. */
    private static CompletableFuture<Optional<TidegateException>> end(Pipeline pipeline) {
        CompletableFuture<Optional<TidegateException>> ended = new CompletableFuture<>();
        Thread waiting = new Thread(
                () -> {
                    try {
                        Pipeline.Outcome outcome = pipeline.await(Duration.ofDays(1));
                        while (outcome == null) {
                            outcome = pipeline.await(Duration.ofDays(1));
                        }
                        ended.complete(Optional.ofNullable(outcome.failure()));
                    } catch (InterruptedException | RuntimeException e) {
                        ended.completeExceptionally(e);
                    }
                },
                "tidegate " + pipeline.name() + " end");
        waiting.setDaemon(true);
        waiting.start();
        return ended;
    }

    private static ChangeEncoder encoder(PipelineConfig.Format format) {
        return switch (format) {
            case JSON -> new JsonEncoder();
            case FLAT -> new FlatEncoder();
        };
    }

    private static PipelineOptions options(PipelineConfig config) {
        return new PipelineOptions(
                config.batch().count(),
                config.batch().bytes(),
                config.inFlight().count(),
                config.inFlight().bytes(),
                config.checkpoint().interval(),
                config.checkpoint().changes(),
                switch (config.rejects()) {
                    case RETRY -> PipelineOptions.RejectPolicy.RETRY;
                    case HALT -> PipelineOptions.RejectPolicy.HALT;
                },
                config.retry().initial(),
                config.retry().max(),
                config.stopTimeout());
    }
}
