package io.tidegate.bench.report;

import java.util.Arrays;

/** What share of some times was how long at most. Immutable. */
public final class Percentiles {

    private static final double MICROS_PER_MILLI = 1_000;

    private final int[] sorted;

    /** Of the first so many of these microseconds. */
    public Percentiles(int[] micros, int count) {
        sorted = Arrays.copyOf(micros, count);
        Arrays.sort(sorted);
    }

    public int count() {
        return sorted.length;
    }

    /** The smallest that at least this share of all does not exceed, in milliseconds; NaN if there is none at all. */
    public double millis(double share) {
        if (sorted.length == 0) {
            return Double.NaN;
        }
        int rank = (int) Math.ceil(share * sorted.length);
        return sorted[Math.max(1, rank) - 1] / MICROS_PER_MILLI;
    }

    /** The longest, in milliseconds. */
    public double maxMillis() {
        return millis(1);
    }
}
