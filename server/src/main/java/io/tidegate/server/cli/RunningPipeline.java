package io.tidegate.server.cli;

import io.tidegate.engine.PipelineStatus;
import io.tidegate.spi.TidegateException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** A pipeline that was started. Any thread. */
public interface RunningPipeline {

    PipelineStatus status();

    /** Asks for a graceful stop; returns at once. Again: nothing. */
    void stop();

    /** Completes when the pipeline has ended, with the error that stopped it, if one did. */
    CompletableFuture<Optional<TidegateException>> ended();
}
