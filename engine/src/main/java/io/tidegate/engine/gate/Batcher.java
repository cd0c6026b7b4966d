package io.tidegate.engine.gate;

import io.tidegate.spi.Position;
import org.jspecify.annotations.Nullable;

/**
 * Counts the changes of one split of one session into batches, on the reader's thread, in front of the gate's queue. Half
 * of I5 and I7 lives here: a batch carries the newest position that everything in it can be resumed from, and a marker
 * rides on the batch that is being filled.
 */
public final class Batcher {

    int sequence;
    int changes;
    long bytes;

    @Nullable
    Position resume;

    /**
     * A change joins the batch.
     *
     * @param after where to restart once this change and everything before it is settled; null inside a transaction
     */
    public void change(@Nullable Position after, long size) {
        changes++;
        bytes += size;
        if (after != null) {
            resume = after;
        }
    }

    /** A position without a row. True: it rides on the batch being filled; false: it goes on to the gate by itself. */
    public boolean rides(Position position) {
        if (changes == 0) {
            return false;
        }
        resume = position;
        return true;
    }

    /** Ends the batch and takes its number, in one step. */
    public Cut cut() {
        Cut cut = new Cut(sequence++, resume, changes, bytes);
        changes = 0;
        bytes = 0;
        resume = null;
        return cut;
    }

    public boolean isEmpty() {
        return changes == 0;
    }

    public int changes() {
        return changes;
    }

    public long bytes() {
        return bytes;
    }

    /** A batch as the gate tracks it. */
    public record Cut(int sequence, @Nullable Position resume, int changes, long bytes) {}
}
