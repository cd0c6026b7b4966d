package io.tidegate.engine;

import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.Finding;
import io.tidegate.spi.SnapshotProgress;
import io.tidegate.spi.TidegateException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a pipeline shows of itself: a snapshot of its numbers and positions, which the engine publishes several times a second and
 * everybody may read. Between two sessions it shows the places of the one before. Any thread. Immutable.
 *
 * @param pipeline the pipeline's name
 * @param stalledOn what keeps it from getting on, in one line for people; empty unless it is stalled
 * @param doing what it is busy with, in one line for people; empty if there is nothing to say
 * @param at when this was published
 * @param sessions attempts at reading the source since the process started; all but the first are reconnects
 * @param measures what the source and the sink measure, by name, such as {@code retained_bytes}
 * @param snapshot how far the snapshot is; without tables if none runs
 * @param problems what is wrong and does not stop the pipeline
 * @param errors what failed since the process started, one of each code, the newest first
 */
public record PipelineStatus(
        String pipeline,
        State state,
        String stalledOn,
        String doing,
        Instant at,
        long sessions,
        Places places,
        Delivery delivery,
        Map<String, Double> measures,
        Snapshot snapshot,
        List<Finding> problems,
        List<Failure> errors) {

    public PipelineStatus {
        measures = Collections.unmodifiableMap(new TreeMap<>(measures));
        problems = List.copyOf(problems);
        errors = List.copyOf(errors);
    }

    /** Of a pipeline of which nothing is known yet. */
    public static PipelineStatus starting(String pipeline, Instant at) {
        return new PipelineStatus(
                pipeline,
                State.STARTING,
                "",
                "",
                at,
                0,
                Places.NONE,
                new Delivery(0, 0, 0, 0, 0, Delays.NONE),
                Map.of(),
                Snapshot.NONE,
                List.of(),
                List.of());
    }

    /** Of a pipeline that could not be started. */
    public static PipelineStatus failed(String pipeline, TidegateException why, Instant at) {
        PipelineStatus nothing = starting(pipeline, at);
        Failure failure = new Failure(why.code(), String.valueOf(why.getMessage()), at, at, 1);
        return new PipelineStatus(
                pipeline,
                State.FAILED,
                "",
                "",
                at,
                0,
                nothing.places(),
                nothing.delivery(),
                Map.of(),
                Snapshot.NONE,
                List.of(),
                List.of(failure));
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
        /** Makes no progress although it could; {@link PipelineStatus#stalledOn} says on what. */
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
     * The positions of splits.
     *
     * @param splits those that are not done, and are being read or have a position; of very many only the first
     * @param known splits that were planned
     * @param done those that are durably done
     * @param checkpointAge time since the last write to the store ended well; null before the first session reads
     * @param unpersisted how far what is durable in the store lies behind what is settled
     * @param unacknowledged how far what the source confirmed lies behind what is durable in the store
     */
    public record Places(
            List<Split> splits,
            int known,
            int done,
            @Nullable Duration checkpointAge,
            Lag unpersisted,
            Lag unacknowledged) {

        /** Before anything is known. */
        public static final Places NONE = new Places(List.of(), 0, 0, null, Lag.NONE, Lag.NONE);

        public Places {
            splits = List.copyOf(splits);
        }

        /** The split that keeps the source from pruning most, by the numbers of positions; else the first one. */
        public @Nullable Split slowest() {
            Split slowest = null;
            for (Split split : splits) {
                if (slowest == null || before(split.acknowledged(), slowest.acknowledged())) {
                    slowest = split;
                }
            }
            return slowest;
        }

        private static boolean before(Place one, Place other) {
            Double number = one.number();
            Double than = other.number();
            return number != null && (than == null || number < than);
        }
    }

    /**
     * One split and its three positions. Never is one behind the next (I2).
     *
     * @param frontier everything up to here is settled
     * @param persisted everything up to here is in the store
     * @param acknowledged up to here the source may prune
     */
    public record Split(String id, Place frontier, Place persisted, Place acknowledged) {}

    /**
     * A position, as people and graphs see it.
     *
     * @param text as the source prints it; null: none yet
     * @param number rises with it; null where the source's positions have none
     */
    public record Place(@Nullable String text, @Nullable Double number) {}

    /**
     * How far one position lies behind another.
     *
     * @param units of the split where it is most, in the source's units; null where its positions are no numbers
     * @param time since when something waits to be taken over; zero if nothing does
     */
    public record Lag(@Nullable Double units, Duration time) {

        public static final Lag NONE = new Lag(null, Duration.ZERO);
    }

    /**
     * What the sink was given.
     *
     * @param unsettledBatches batches handed out whose fate is not final yet
     * @param unsettledBytes their size
     * @param delivered changes that are durable at the sink, since the process started
     * @param rejected refusals by the sink since the process started; a change that is offered again counts each time
     * @param nothingToDo changes that had nothing to do at the sink, since the process started
     */
    public record Delivery(
            int unsettledBatches,
            long unsettledBytes,
            long delivered,
            long rejected,
            long nothingToDo,
            Delays delays) {}

    /**
     * Times from commit in the database to durable at the sink; rows of snapshots do not count.
     *
     * @param newest of what was delivered last, however long ago; null before the first
     * @param median half of what was delivered within the last minute took no longer; null if nothing was
     * @param p99 99 of 100 took no longer
     */
    public record Delays(
            @Nullable Duration newest,
            @Nullable Duration median,
            @Nullable Duration p99) {

        /** Before anything is delivered. */
        public static final Delays NONE = new Delays(null, null, null);
    }

    /**
     * How far a snapshot is.
     *
     * @param rowsPerSecond of all tables, in the last half minute or so
     * @param left until all rows are read at this rate; null if that cannot be said
     */
    public record Snapshot(
            List<Table> tables,
            double rowsPerSecond,
            @Nullable Duration left) {

        /** None runs. */
        public static final Snapshot NONE = new Snapshot(List.of(), 0, null);

        public Snapshot {
            tables = List.copyOf(tables);
        }

        public long rowsDone() {
            return tables.stream()
                    .mapToLong(table -> table.progress().rowsDone())
                    .sum();
        }

        public long rowsTotal() {
            return tables.stream()
                    .mapToLong(table -> table.progress().rowsTotal())
                    .sum();
        }
    }

    /** How far the snapshot of one table is; as in {@link Snapshot}. */
    public record Table(
            SnapshotProgress progress,
            double rowsPerSecond,
            @Nullable Duration left) {}

    /**
     * What failed.
     *
     * @param message of the newest such failure; holds no secret
     * @param first when it failed so for the first time, since the process started
     * @param last when it did for the last time
     * @param count how often it did
     */
    public record Failure(ErrorCode code, String message, Instant first, Instant last, long count) {}

    /** The newest failure; null if there was none. */
    public @Nullable Failure lastError() {
        return errors.isEmpty() ? null : errors.get(0);
    }

    /** As in {@link Places}. */
    public List<Split> splits() {
        return places.splits();
    }

    /** As in {@link Delivery}. */
    public int unsettledBatches() {
        return delivery.unsettledBatches();
    }

    /** As in {@link Delivery}. */
    public long unsettledBytes() {
        return delivery.unsettledBytes();
    }

    /** As in {@link Delivery}. */
    public long delivered() {
        return delivery.delivered();
    }

    /** As in {@link Delivery}. */
    public long rejected() {
        return delivery.rejected();
    }
}
