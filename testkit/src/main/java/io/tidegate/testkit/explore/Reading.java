package io.tidegate.testkit.explore;

import io.tidegate.engine.gate.Batcher;
import io.tidegate.engine.gate.GateDigest;
import io.tidegate.engine.gate.GateTwin;
import io.tidegate.spi.SplitProgress;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** One split that is read in this session: its reader, its batches on their way, its acknowledgements. */
final class Reading {

    /** States of a batch, in the order in which it goes through them. */
    static final byte HANDED_OVER = 0;

    static final byte DURABLE = 1;
    static final byte SETTLED = 2;
    /** The gate did not take it. */
    static final byte REFUSED = 3;

    final Script script;
    final int handle;
    final Batcher batcher;
    /** The next item to read. */
    int cursor;
    /** The first item of the batch that is being filled. */
    int batchStart;

    boolean finished;
    int batches;
    /** For each batch, its first item, the item behind its last, its state. */
    byte[] from = new byte[4];

    byte[] to = new byte[4];
    byte[] state = new byte[4];

    /** To be told to the source; a newer one replaces it. */
    @Nullable
    SplitProgress due;
    /** Taken by the source and not confirmed yet. */
    @Nullable
    SplitProgress taken;

    Reading(Script script, int handle, int cursor) {
        this.script = script;
        this.handle = handle;
        this.cursor = cursor;
        batchStart = cursor;
        batcher = new Batcher();
    }

    Reading(Reading other) {
        script = other.script;
        handle = other.handle;
        batcher = GateTwin.of(other.batcher);
        cursor = other.cursor;
        batchStart = other.batchStart;
        finished = other.finished;
        batches = other.batches;
        from = other.from.clone();
        to = other.to.clone();
        state = other.state.clone();
        due = other.due;
        taken = other.taken;
    }

    boolean atEnd() {
        return cursor == script.length();
    }

    /** A batch was cut and taken, or refused. */
    void handOver(boolean accepted) {
        if (batches == state.length) {
            from = Arrays.copyOf(from, batches * 2);
            to = Arrays.copyOf(to, batches * 2);
            state = Arrays.copyOf(state, batches * 2);
        }
        from[batches] = (byte) batchStart;
        to[batches] = (byte) cursor;
        state[batches] = accepted ? HANDED_OVER : REFUSED;
        batches++;
        batchStart = cursor;
    }

    boolean refused() {
        return batches > 0 && state[batches - 1] == REFUSED;
    }

    boolean unsettled(int batch) {
        return state[batch] < SETTLED;
    }

    long rows(int batch) {
        return script.rows(from[batch], to[batch]);
    }

    /** Batches from the oldest unsettled one on (I15), counted anew. */
    int inFlight() {
        int oldest = -1;
        int accepted = 0;
        for (int b = 0; b < batches; b++) {
            if (state[b] != REFUSED) {
                accepted = b + 1;
            }
            if (oldest < 0 && unsettled(b)) {
                oldest = b;
            }
        }
        return oldest < 0 ? 0 : accepted - oldest;
    }

    /** Bytes of unsettled batches (I15), counted anew; each row has one. */
    int bytesInFlight() {
        int bytes = 0;
        for (int b = 0; b < batches; b++) {
            bytes += unsettled(b) ? Long.bitCount(rows(b)) : 0;
        }
        return bytes;
    }

    /** The item behind the newest one that this session made durable at the sink; 0 if there is none. */
    int landedUpTo() {
        int newest = 0;
        for (int b = 0; b < batches; b++) {
            if (state[b] == DURABLE || state[b] == SETTLED) {
                newest = Math.max(newest, to[b]);
            }
        }
        return newest;
    }

    void digest(Fold fold, GateDigest digest) {
        fold.accept(cursor | batchStart << 8 | (finished ? 1 << 16 : 0));
        digest.add(batcher);
        digest.add(due);
        digest.add(taken);
        for (int b = 0; b < batches; b++) { // where a settled batch came from makes no difference any more
            fold.accept(unsettled(b) ? state[b] | from[b] << 8 | to[b] << 16 : -1 - state[b]);
        }
    }
}
