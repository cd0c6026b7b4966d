package io.tidegate.embed;

import io.tidegate.engine.Pipeline;
import io.tidegate.engine.PipelineStatus;
import io.tidegate.spi.TidegateException;
import java.time.Duration;

/** A pipeline that runs inside of this program, on daemon threads of its own. Any thread may call it. */
public final class EmbeddedPipeline implements AutoCloseable {

    /** What ending takes beyond the time that a stop may take. */
    private static final Duration CLOSING = Duration.ofSeconds(2);

    private final Pipeline pipeline;
    private final Duration stopTimeout;

    EmbeddedPipeline(Pipeline pipeline, Duration stopTimeout) {
        this.pipeline = pipeline;
        this.stopTimeout = stopTimeout;
    }

    /**
     * Begins to put a pipeline together.
     *
     * @param name 1 to 40 lower-case letters, digits, {@code _} and {@code -}; state and slot carry it, so a new name is a new
     *     pipeline
     */
    public static PipelineBuilder named(String name) {
        return new PipelineBuilder(name);
    }

    /** What it shows of itself: state, positions, counts, the newest failure. Never blocks. */
    public PipelineStatus status() {
        return pipeline.status();
    }

    /** Asks for a graceful stop and returns at once. Again: nothing. Also from within a handler. */
    public void stop() {
        pipeline.stop();
    }

    /**
     * Waits until it has ended: because it was stopped, because all of a bounded source is delivered, or for good with an
     * error. A failure that can mend itself is no end; it is in {@link #status}.
     *
     * @throws TidegateException the error that ended it
     */
    public void await() throws InterruptedException {
        while (!await(Duration.ofDays(1))) {
            // It still runs.
        }
    }

    /**
     * The same with a limit.
     *
     * @return false if it has not ended by then
     */
    public boolean await(Duration limit) throws InterruptedException {
        Pipeline.Outcome outcome = pipeline.await(limit);
        if (outcome != null && outcome.failure() != null) {
            throw outcome.failure();
        }
        return outcome != null;
    }

    /**
     * Stops, and waits for the end, within the stop timeout: no more is read, what was read is delivered, the position is made
     * durable. What is not done in time is delivered again at the next start. Throws nothing, also if the pipeline had failed.
     * Not from within a handler, which it would wait for.
     */
    @Override
    public void close() {
        pipeline.stop();
        try {
            pipeline.await(stopTimeout.plus(CLOSING));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
