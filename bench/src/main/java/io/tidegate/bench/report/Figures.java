package io.tidegate.bench.report;

import java.util.Arrays;
import java.util.Collection;
import java.util.Locale;

/** Figures of several runs, and how they are written. */
public final class Figures {

    private Figures() {}

    /** The middle one; of an even number the mean of the two in the middle. */
    public static double median(Collection<Double> values) {
        double[] sorted = sorted(values);
        int half = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
    }

    /** The smallest and the largest, written {@code 1.2–1.4}. */
    public static String spread(Collection<Double> values) {
        double[] sorted = sorted(values);
        return number(sorted[0]) + "–" + number(sorted[sorted.length - 1]);
    }

    /** Three digits that matter, or all before the point, in groups of three: {@code 1.23}, {@code 12.3}, {@code 123,456}. */
    public static String number(double value) {
        if (Double.isNaN(value)) {
            return "–";
        }
        double size = Math.abs(value);
        String format = size >= 99.95 || size == 0 ? "%,.0f" : size >= 9.995 ? "%.1f" : "%.2f";
        return String.format(Locale.ROOT, format, value);
    }

    private static double[] sorted(Collection<Double> values) {
        if (values.isEmpty()) {
            throw new IllegalArgumentException("nothing was measured");
        }
        double[] sorted = values.stream().mapToDouble(Double::doubleValue).toArray();
        Arrays.sort(sorted);
        return sorted;
    }
}
