package io.tidegate.server.cli;

import io.tidegate.engine.PipelineStatus;
import io.tidegate.server.config.ConfiguredPipeline;
import io.tidegate.spi.TidegateException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The pipelines of this process. They share nothing: when one stops with an error the others go on (I14), and the exit
 * status is that of the first error. {@link #start} and {@link #await} belong to one thread, the rest to any.
 */
final class PipelineGroup {

    private static final Logger LOG = System.getLogger(PipelineGroup.class.getName());

    private final Function<ConfiguredPipeline, RunningPipeline> starter;
    private final List<RunningPipeline> running = new CopyOnWriteArrayList<>();
    private final List<PipelineStatus> unstarted = new CopyOnWriteArrayList<>();
    private final List<CompletableFuture<?>> ends = new ArrayList<>();
    private final AtomicReference<@Nullable TidegateException> firstFailure = new AtomicReference<>();
    private final CompletableFuture<Void> stopAsked = new CompletableFuture<>();

    PipelineGroup(Function<ConfiguredPipeline, RunningPipeline> starter) {
        this.starter = starter;
    }

    void start(List<ConfiguredPipeline> pipelines) {
        for (ConfiguredPipeline pipeline : pipelines) {
            if (!stopAsked.isDone()) {
                start(pipeline);
            }
        }
    }

    private void start(ConfiguredPipeline pipeline) {
        try {
            RunningPipeline started = starter.apply(pipeline);
            running.add(started);
            ends.add(started.ended().thenAccept(error -> ended(pipeline.name(), error)));
        } catch (TidegateException e) {
            unstarted.add(PipelineStatus.failed(pipeline.name(), e, Instant.now()));
            ended(pipeline.name(), Optional.of(e));
        }
        if (stopAsked.isDone()) {
            running.forEach(RunningPipeline::stop);
        }
    }

    private void ended(String name, Optional<TidegateException> error) {
        if (error.isPresent()) {
            firstFailure.compareAndSet(null, error.get());
            LOG.log(
                    Level.ERROR,
                    () -> "pipeline " + name + " stopped: " + error.get().describe());
        } else {
            LOG.log(Level.INFO, () -> "pipeline " + name + " has ended");
        }
    }

    /** Until all have ended. */
    void await() throws InterruptedException {
        for (CompletableFuture<?> end : ends) {
            try {
                end.get();
            } catch (ExecutionException e) {
                throw new IllegalStateException("a pipeline did not say how it ended", e.getCause());
            }
        }
    }

    /** Asks all to stop and waits for them. @return false if some have not ended in time */
    boolean stop(Duration timeout) throws InterruptedException {
        stopAsked.complete(null);
        running.forEach(RunningPipeline::stop);
        CompletableFuture<?>[] outcomes =
                running.stream().map(RunningPipeline::ended).toArray(CompletableFuture<?>[]::new);
        try {
            CompletableFuture.allOf(outcomes).get(timeout.toMillis(), TimeUnit.MILLISECONDS);
            return true;
        } catch (TimeoutException e) {
            LOG.log(Level.WARNING, "not everything could be drained in time; the next start delivers it again");
            return false;
        } catch (ExecutionException e) {
            throw new IllegalStateException("a pipeline did not say how it ended", e.getCause());
        }
    }

    List<PipelineStatus> status() {
        return Stream.concat(running.stream().map(RunningPipeline::status), unstarted.stream())
                .toList();
    }

    Optional<TidegateException> firstFailure() {
        return Optional.ofNullable(firstFailure.get());
    }

    /** 0 if nothing failed. */
    int exitStatus() {
        return firstFailure().map(error -> error.code().exitStatus()).orElse(0);
    }
}
