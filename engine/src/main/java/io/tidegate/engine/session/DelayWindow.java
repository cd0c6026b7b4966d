package io.tidegate.engine.session;

import java.util.Arrays;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/**
 * The delays of what was delivered in the last minute, as counts in buckets that are at most an eighth wide:
 * constant memory, and a cost for each batch only. Belongs to one thread.
 */
public final class DelayWindow {

    private static final int SLOTS = 12;
    private static final long SLOT_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** Values below are counted exactly; above, each doubling has as many buckets as a half of this. */
    private static final int EXACT = 16;

    private static final int EXACT_BITS = 4;
    private static final int BUCKETS = EXACT + (Long.SIZE - 1 - EXACT_BITS) * EXACT / 2;

    private final long[][] counts = new long[SLOTS][BUCKETS];
    /** Which stretch of time a slot holds, counted from the clock's origin. */
    private final long[] stretches = new long[SLOTS];

    private long newest = -1;

    public DelayWindow() {
        Arrays.fill(stretches, Long.MIN_VALUE);
    }

    /** So many changes were delivered with this delay; not negative. */
    public void add(long delayMillis, int changes, long now) {
        newest = delayMillis;
        long stretch = Math.floorDiv(now, SLOT_NANOS);
        int slot = Math.floorMod(stretch, SLOTS);
        if (stretches[slot] != stretch) {
            stretches[slot] = stretch;
            Arrays.fill(counts[slot], 0);
        }
        counts[slot][bucket(delayMillis)] += changes;
    }

    /** Of what was delivered last, however long ago; nothing before the first. */
    public OptionalLong newestMillis() {
        return newest < 0 ? OptionalLong.empty() : OptionalLong.of(newest);
    }

    /** The delay that so large a share of the changes kept; nothing if none was delivered in the window. */
    public OptionalLong quantileMillis(double share, long now) {
        long oldest = Math.floorDiv(now, SLOT_NANOS) - SLOTS + 1;
        long[] sums = new long[BUCKETS];
        long total = 0;
        for (int slot = 0; slot < SLOTS; slot++) {
            if (stretches[slot] >= oldest) {
                for (int i = 0; i < BUCKETS; i++) {
                    sums[i] += counts[slot][i];
                    total += counts[slot][i];
                }
            }
        }
        if (total == 0) {
            return OptionalLong.empty();
        }
        long rank = Math.max(1, (long) Math.ceil(share * total));
        int bucket = 0;
        for (long seen = sums[0]; seen < rank; seen += sums[bucket]) {
            bucket++;
        }
        return OptionalLong.of(highest(bucket));
    }

    private static int bucket(long value) {
        if (value < EXACT) {
            return (int) value;
        }
        int doubling = Long.SIZE - 1 - Long.numberOfLeadingZeros(value) - EXACT_BITS;
        int within = (int) (value >>> (doubling + 1)) - EXACT / 2;
        return EXACT + doubling * (EXACT / 2) + within;
    }

    /** The largest value that falls into the bucket. */
    private static long highest(int bucket) {
        if (bucket < EXACT) {
            return bucket;
        }
        int doubling = (bucket - EXACT) / (EXACT / 2);
        long within = Math.floorMod(bucket - EXACT, EXACT / 2);
        return ((within + 1 + EXACT / 2) << (doubling + 1)) - 1;
    }
}
