package io.tidegate.bench.contender;

import io.tidegate.bench.process.ChildReport;
import java.util.Arrays;

/** How long after its commit each change arrived. One thread adds; another reports when that one is done. */
public final class Delays {

    private final ChildReport report;
    private final long[] micros;
    private long warmUp;
    private int samples;

    /**
     * Room for so many changes.
     *
     * @param warmUp how many at the begin do not count
     * @param most how many count after these; more are an error
     */
    public Delays(ChildReport report, long warmUp, int most) {
        this.report = report;
        this.warmUp = warmUp;
        this.micros = new long[most];
    }

    /** A change has arrived now, committed at this time in microseconds since 1970. */
    public void add(long committedMicros) {
        if (warmUp > 0) {
            warmUp--;
            return;
        }
        micros[samples] = ChildReport.now() - committedMicros;
        samples++;
    }

    /** Puts {@code samples}, and in milliseconds {@code p50}, {@code p99}, {@code p999} and {@code max}. */
    public void report() {
        long[] sorted = Arrays.copyOf(micros, samples);
        Arrays.sort(sorted);
        report.put("samples", samples)
                .put("p50", quantile(sorted, 0.5))
                .put("p99", quantile(sorted, 0.99))
                .put("p999", quantile(sorted, 0.999))
                .put("max", quantile(sorted, 1));
    }

    /** The smallest value that so large a share does not exceed, in milliseconds. */
    static double quantile(long[] sortedMicros, double share) {
        if (sortedMicros.length == 0) {
            throw new IllegalStateException("nothing was measured");
        }
        int rank = (int) Math.ceil(share * sortedMicros.length);
        return sortedMicros[Math.max(rank, 1) - 1] / 1_000.0;
    }
}
