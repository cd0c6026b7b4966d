package io.tidegate.server.config;

import java.nio.file.Path;
import java.time.Duration;

/**
 * What a pipeline's file says about the engine. Immutable, checked here.
 *
 * @param rejects what follows when the sink refuses a change for good (I11)
 * @param retry waits between attempts, after failures and refusals
 * @param stopTimeout time that a graceful stop may take (I12)
 * @param stateDir absolute; holds the checkpoint
 */
public record PipelineConfig(
        String name,
        Format format,
        RejectPolicy rejects,
        Limits batch,
        Limits inFlight,
        Checkpointing checkpoint,
        Backoff retry,
        Duration stopTimeout,
        Path stateDir) {

    public PipelineConfig {
        require(name.matches(PipelineSettings.NAME_PATTERN), "a pipeline's name is " + PipelineSettings.NAME_PATTERN);
        require(inFlight.bytes() >= batch.bytes(), "what is in flight holds a batch at least");
        require(!stopTimeout.isNegative(), "a time is not negative");
        require(stateDir.isAbsolute(), "the state directory is absolute");
    }

    /** How changes are written. */
    public enum Format {
        JSON,
        FLAT
    }

    /** What follows a refused change. */
    public enum RejectPolicy {
        /** It is offered again, and what follows it waits. */
        RETRY,
        /** The pipeline stops with the error. */
        HALT
    }

    /**
     * How much, by count and bytes (I15).
     *
     * @param count changes of a batch, or batches in flight
     */
    public record Limits(int count, long bytes) {
        public Limits {
            require(count >= 1 && bytes >= 1, "limits are positive");
        }
    }

    /** A checkpoint is written when either is reached. */
    public record Checkpointing(Duration interval, long changes) {
        public Checkpointing {
            require(!interval.isNegative() && changes >= 1, "a checkpoint is due after some time or changes");
        }
    }

    /**
     * Growing waits.
     *
     * @param initial first wait; doubled each time up to {@code max}
     */
    public record Backoff(Duration initial, Duration max) {
        public Backoff {
            require(initial.toMillis() >= 1 && max.compareTo(initial) >= 0, "waits are positive and in order");
        }
    }

    private static void require(boolean condition, String rule) {
        if (!condition) {
            throw new IllegalArgumentException(rule);
        }
    }
}
