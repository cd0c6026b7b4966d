package io.tidegate.engine;

import io.tidegate.spi.ErrorCode;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a pipeline shows of itself: a snapshot of its numbers and positions, which the engine publishes and everybody may
 * read. Any thread. Immutable.
 *
 * @param pipeline the pipeline's name
 * @param doing what it is busy with, in one line for people; empty if there is nothing to say
 * @param splits in the order in which they were planned
 * @param unsettledBatches batches handed out whose fate is not final yet
 * @param unsettledBytes their size
 * @param checkpointAge time since the last write to the store ended well; null before the first one
 * @param delay time from commit in the database to durable at the sink, of the newest settled change; null before the
 *     first one
 * @param sessions attempts at reading the source since the process started; all but the first are reconnects
 * @param delivered changes that are durable at the sink, since the process started
 * @param rejected refusals by the sink since the process started; a change that is offered again counts each time
 * @param measures what the source and the sink measure, by name, such as {@code retained_bytes}
 * @param lastError the newest failure; null if there was none
 */
public record PipelineStatus(
        String pipeline,
        State state,
        String doing,
        List<Split> splits,
        int unsettledBatches,
        long unsettledBytes,
        @Nullable Duration checkpointAge,
        @Nullable Duration delay,
        long sessions,
        long delivered,
        long rejected,
        Map<String, Double> measures,
        @Nullable Failure lastError) {

    public PipelineStatus {
        splits = List.copyOf(splits);
        measures = Collections.unmodifiableMap(new TreeMap<>(measures));
    }

    /** Where a pipeline is in its life. */
    public enum State {
        /** Connects, prepares the source, opens the sink. */
        STARTING,
        /** Reads and delivers. */
        RUNNING,
        /** Was asked to stop: reads nothing more, waits for the sink and the store. */
        DRAINING,
        /** Waits before the next session, after a failure. */
        BACKING_OFF,
        /** A write at the sink or the store does not end; nothing may overtake it (I2, I8). */
        STALLED,
        /** Ended because it was asked to. */
        STOPPED,
        /** Ended because everything of a bounded source is delivered. */
        COMPLETED,
        /** Ended with an error that trying again cannot mend. */
        FAILED;

        /** Nothing follows this state. */
        public boolean ended() {
            return this == STOPPED || this == COMPLETED || this == FAILED;
        }
    }

    /**
     * One split and its three positions, in the source's own text; null: none yet. Never is one behind the next (I2).
     *
     * @param frontier everything up to here is settled
     * @param persisted everything up to here is in the store
     * @param acknowledged up to here the source may prune
     * @param done everything of the split is settled, and that is durable
     */
    public record Split(
            String id,
            @Nullable String frontier,
            @Nullable String persisted,
            @Nullable String acknowledged,
            boolean done) {}

    /** A failure, and when it was. The message holds no secret. */
    public record Failure(ErrorCode code, String message, Instant at) {}
}
