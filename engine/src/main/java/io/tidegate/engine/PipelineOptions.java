package io.tidegate.engine;

import java.time.Duration;

/**
 * How a pipeline runs. Immutable, checked here.
 *
 * @param batchChanges changes after which a batch is full
 * @param batchBytes bytes after which a batch is full
 * @param inFlightBatches batches handed out and not released (I15)
 * @param inFlightBytes bytes of batches handed out and not settled
 * @param checkpointInterval longest time that settled changes wait to be persisted
 * @param checkpointChanges settled changes after which they are persisted before that
 * @param rejects what follows when the sink refuses a change for good (I11)
 * @param retryInitial first wait after a failure or a refusal; doubled each time
 * @param retryMax longest wait
 * @param stopTimeout time that a graceful stop may take (I12)
 */
public record PipelineOptions(
        int batchChanges,
        long batchBytes,
        int inFlightBatches,
        long inFlightBytes,
        Duration checkpointInterval,
        long checkpointChanges,
        RejectPolicy rejects,
        Duration retryInitial,
        Duration retryMax,
        Duration stopTimeout) {

    /** What follows when the sink refuses a change for good. */
    public enum RejectPolicy {
        /** It is offered again after a wait, and what follows it waits. */
        RETRY,
        /** The pipeline stops with the error. */
        HALT
    }

    public PipelineOptions {
        require(batchChanges >= 1 && batchBytes >= 1, "a batch holds a change at least");
        require(inFlightBatches >= 1 && inFlightBytes >= 1, "a batch can be in flight at least");
        require(
                !checkpointInterval.isNegative() && checkpointChanges >= 1,
                "a checkpoint is due after time or changes");
        require(
                retryInitial.toNanos() >= 1 && retryMax.compareTo(retryInitial) >= 0,
                "waits are positive and in order");
        require(!stopTimeout.isNegative(), "a timeout is not negative");
    }

    /** What a configuration that says nothing gives. */
    public static PipelineOptions defaults() {
        return new PipelineOptions(
                1_000,
                1 << 20,
                256,
                32L << 20,
                Duration.ofMillis(200),
                100_000,
                RejectPolicy.RETRY,
                Duration.ofSeconds(1),
                Duration.ofSeconds(60),
                Duration.ofSeconds(8));
    }

    private static void require(boolean condition, String rule) {
        if (!condition) {
            throw new IllegalArgumentException(rule);
        }
    }
}
