package io.tidegate.engine.session;

import io.tidegate.engine.env.Clock;
import io.tidegate.engine.gate.Gate;
import io.tidegate.spi.Batch;
import io.tidegate.spi.Change;
import io.tidegate.spi.Op;
import io.tidegate.spi.Position;
import io.tidegate.spi.TidegateException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a session has got done, and since when something is due; decides nothing. Costs for each batch and each write, and
 * nothing for each change. Times are nanoseconds of the clock. Of the pipeline's thread.
 */
public final class SessionFlow {

    private final Clock clock;
    private final SessionParts.Counters counters;

    private final long beganAt;
    private long moves;
    private long advances;
    private boolean wrote;
    private long settledAt;
    /** When a batch was handed over and no other was in flight. */
    private long handedAt;

    private long wroteAt;
    private @Nullable Long unsavedSince;
    private @Nullable Long writingSince;
    private @Nullable Long storeFailsSince;
    private String storeFailure = "";
    /** By split, the longest first: since when the source was not told of a newer record. */
    private final Map<Integer, Long> unconfirmed = new LinkedHashMap<>();

    /** Begins with the reading. */
    SessionFlow(Clock clock, SessionParts.Counters counters) {
        this.clock = clock;
        this.counters = counters;
        beganAt = clock.nanoTime();
        wroteAt = beganAt;
        settledAt = beganAt;
        handedAt = beganAt;
    }

    void handed(Gate gate) {
        if (gate.batchesInFlight() == 1) {
            handedAt = clock.nanoTime();
        }
    }

    void settled(Batch batch) {
        moves++;
        settledAt = clock.nanoTime();
        List<Change> changes = batch.changes();
        counters.delivered().addAndGet(changes.size());
        Change last = changes.get(changes.size() - 1);
        if (last.op() != Op.READ) { // a row of a snapshot was committed who knows when
            long delay = clock.epochMillis() - Math.floorDiv(last.origin().committedAtMicros(), 1_000L);
            counters.delays().add(Math.max(0, delay), changes.size(), settledAt);
        }
    }

    /** The frontier of a split, before and after something happened to it. */
    void frontier(@Nullable Position before, @Nullable Position after) {
        if (!Objects.equals(before, after)) {
            moves++;
            advances++;
        }
    }

    void finished() {
        moves++;
        advances++;
    }

    /** Whether the gate has something that no write holds yet. */
    void unsaved(boolean unsaved) {
        if (unsaved && unsavedSince == null) {
            unsavedSince = clock.nanoTime();
        }
    }

    /** A write of all that is unsaved begins. */
    void persisting() {
        writingSince = unsavedSince == null ? Long.valueOf(clock.nanoTime()) : unsavedSince;
        unsavedSince = null;
    }

    void wrote() {
        wrote = true;
        wroteAt = clock.nanoTime();
        writingSince = null;
        storeFailsSince = null;
    }

    void storeFailed(TidegateException why) {
        unsavedSince = writingSince;
        writingSince = null;
        storeFailure = String.valueOf(why.getMessage());
        if (storeFailsSince == null) {
            storeFailsSince = clock.nanoTime();
        }
    }

    void acknowledging(int split) {
        unconfirmed.putIfAbsent(split, clock.nanoTime());
    }

    /** The source confirmed a record of the split: the newest one, or one before it. */
    void acknowledged(int split, boolean newest) {
        unconfirmed.remove(split);
        if (!newest) {
            unconfirmed.put(split, wroteAt);
        }
    }

    void waits(List<Wait> waits) {
        if (storeFailsSince != null) {
            waits.add(new Wait(Wait.Kind.STORE_FAILS, storeFailsSince, "writes to the store fail: " + storeFailure));
        }
        Long unconfirmedSince = unconfirmedSince();
        if (unconfirmedSince != null) {
            waits.add(new Wait(
                    Wait.Kind.ACKNOWLEDGEMENT, unconfirmedSince, "the source does not confirm what is persisted"));
        }
    }

    /** When the session began to read. */
    public long beganAt() {
        return beganAt;
    }

    /** Rises whenever a batch is settled, a frontier moves or a split ends. */
    public long moves() {
        return moves;
    }

    /** As {@link #moves}, but without what the next session would have to do again, such as a part of a transaction. */
    public long advances() {
        return advances;
    }

    /** Whether anything was persisted: then the next failure is a new one. */
    public boolean persistedAnything() {
        return wrote;
    }

    /** When the last write to the store ended well; the begin of the session before that. */
    public long wroteAt() {
        return wroteAt;
    }

    /** When the sink last made something durable, or was given something after it had nothing. */
    long sinkMovedAt() {
        return Math.max(settledAt, handedAt);
    }

    /** Since when something settled waits to be durable in the store; null if nothing does. */
    public @Nullable Long unpersistedSince() {
        return writingSince == null ? unsavedSince : writingSince;
    }

    /** Since when something durable in the store waits for the source to confirm it; null if nothing does. */
    public @Nullable Long unconfirmedSince() {
        return unconfirmed.isEmpty() ? null : unconfirmed.values().iterator().next();
    }
}
