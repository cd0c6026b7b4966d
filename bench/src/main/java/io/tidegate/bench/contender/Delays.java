package io.tidegate.bench.contender;

import io.tidegate.bench.process.ChildReport;
import io.tidegate.bench.report.Percentiles;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * How long changes took from their commit to being durable at the sink. Counts those that were committed within a window;
 * each one, whenever it came. Tells the parent when the first one of all was there ({@link #FIRST}), and when one was there so
 * soon after its commit that the reader has caught up ({@link #CAUGHT_UP}). One thread adds; another waits.
 */
public final class Delays {

    /** Reached with the first change. */
    public static final String FIRST = "first";

    /** Reached with the first change that was younger than {@link #CAUGHT_UP_MICROS}. */
    public static final String CAUGHT_UP = "caught-up";

    /** A change this young, in microseconds since its commit, came from a reader that is not behind. */
    public static final long CAUGHT_UP_MICROS = 100_000;

    private final ChildReport report;
    private final long from;
    private final long until;
    private final CountDownLatch over = new CountDownLatch(1);
    private int[] micros = new int[1 << 16];
    private int count;
    private boolean begun;
    private boolean caughtUp;

    /**
     * Of changes committed from one time on and before another, in the microseconds of {@link ChildReport#now}.
     */
    public Delays(ChildReport report, long from, long until) {
        this.report = report;
        this.from = from;
        this.until = until;
    }

    /** A change that was committed then is durable now. */
    public void add(long committedMicros) {
        add(committedMicros, ChildReport.now());
    }

    /** The same with a {@link ChildReport#now} that was taken for many changes at once. */
    public void add(long committedMicros, long nowMicros) {
        if (!begun) {
            begun = true;
            report.reached(FIRST);
        }
        long delay = nowMicros - committedMicros;
        if (!caughtUp && delay < CAUGHT_UP_MICROS) {
            caughtUp = true;
            report.reached(CAUGHT_UP);
        }
        if (committedMicros >= until) {
            over.countDown();
        } else if (committedMicros >= from) {
            if (count == micros.length) {
                micros = Arrays.copyOf(micros, count * 2);
            }
            micros[count++] = (int) Math.min(delay, Integer.MAX_VALUE);
        }
    }

    /** Waits until a change came that was committed after the window; false: the time ran out before. */
    public boolean await(Duration limit) throws InterruptedException {
        return over.await(limit.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** Puts {@code p50}, {@code p99}, {@code p999}, {@code max} (milliseconds) and {@code samples}; after {@link #await}. */
    public void report() {
        report("");
    }

    /** The same with something before each name. */
    void report(String prefix) {
        Percentiles all = new Percentiles(micros, count);
        report.put(prefix + "p50", all.millis(0.5))
                .put(prefix + "p99", all.millis(0.99))
                .put(prefix + "p999", all.millis(0.999))
                .put(prefix + "max", all.maxMillis())
                .put(prefix + "samples", all.count());
    }
}
