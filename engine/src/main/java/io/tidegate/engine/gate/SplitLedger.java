package io.tidegate.engine.gate;

import io.tidegate.spi.Position;
import io.tidegate.spi.SplitPlan;
import io.tidegate.spi.SplitProgress;
import org.jspecify.annotations.Nullable;

/**
 * What a gate knows of one split: the batches that are tracked and not yet released, and three positions that never go
 * back (I2). Fields are package-private so that an explorer can copy and compare states without a seam in the rules.
 */
final class SplitLedger {

    private static final int SETTLED = -1;

    final int handle;
    final SplitPlan plan;
    /** Splits before this one whose done mark is not durable yet. */
    int parentsLeft;
    /** Handles of the splits that come after this one. Replaced, never changed in place. */
    int[] children = {};
    /** The newest position seen. */
    @Nullable
    Position tracked;
    /** The newest position with everything before it settled. */
    @Nullable
    Position frontier;
    /** What the store confirmed; null while the plan is not durable. */
    @Nullable
    SplitProgress saved;
    /** What the source confirmed; null while nothing was stored. */
    @Nullable
    SplitProgress acked;

    boolean opened;
    boolean finished;
    boolean dirty;
    /**
     * Batches [head, next) are tracked and not yet released; each has a slot in the rings below. Numbers wrap around: compared
     * is how far one is from another.
     */
    int head;

    int next;

    @Nullable
    Position[] resume = new Position[4];

    int[] changes = new int[4];

    SplitLedger(int handle, SplitPlan plan, @Nullable SplitProgress stored) {
        this.handle = handle;
        this.plan = plan;
        saved = stored;
        acked = stored;
        frontier = stored == null ? plan.start() : stored.position();
        tracked = frontier;
        finished = stored != null && stored.done();
    }

    int slot(int sequence) {
        return sequence & (changes.length - 1);
    }

    /** Everything there is was read and settled (I6). */
    boolean complete() {
        return finished && head == next;
    }

    /** Whether the store holds something older than what is true. */
    boolean changed() {
        SplitProgress stored = saved;
        return stored == null || !same(frontier, stored.position()) || (complete() && !stored.done());
    }

    private static boolean same(@Nullable Position a, @Nullable Position b) {
        return a == null ? b == null : a.equals(b);
    }

    SplitProgress progress() {
        return new SplitProgress(plan.id(), frontier, complete());
    }

    void track(int sequence, @Nullable Position position, int count) {
        if (next - head == changes.length) {
            grow();
        }
        resume[slot(sequence)] = position;
        changes[slot(sequence)] = count;
        next++;
    }

    /** A position without a row: rides on the newest batch, or moves an idle split at once (I7). */
    void mark(Position position) {
        if (head != next) {
            resume[slot(next - 1)] = position;
        } else {
            frontier = position;
        }
    }

    boolean awaits(int sequence) {
        return sequence - head >= 0 && sequence - next < 0 && changes[slot(sequence)] != SETTLED;
    }

    /** Returns the number of changes that were settled with it. */
    int settle(int sequence) {
        int count = changes[slot(sequence)];
        changes[slot(sequence)] = SETTLED;
        return count;
    }

    /** Releases the settled prefix and moves the frontier with it; returns the number of batches released. */
    int release() {
        int released = 0;
        while (head != next && changes[slot(head)] == SETTLED) {
            Position position = resume[slot(head)];
            resume[slot(head)] = null;
            head++;
            released++;
            if (position != null) { // null: inside a transaction there is nothing to claim (I5)
                frontier = position;
            }
        }
        return released;
    }

    private void grow() {
        @Nullable Position[] widerResume = new Position[resume.length * 2];
        int[] widerChanges = new int[changes.length * 2];
        for (int i = head; i != next; i++) {
            widerResume[i & (widerChanges.length - 1)] = resume[slot(i)];
            widerChanges[i & (widerChanges.length - 1)] = changes[slot(i)];
        }
        resume = widerResume;
        changes = widerChanges;
    }
}
