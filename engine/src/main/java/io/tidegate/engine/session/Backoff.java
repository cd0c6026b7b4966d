package io.tidegate.engine.session;

import java.time.Duration;
import java.util.random.RandomGenerator;

/** Waits that double from a first to a longest one, each with a jitter of up to a quarter less. Of one thread. */
public final class Backoff {

    private static final int JITTER_DIVISOR = 4;

    private final long initial;
    private final long max;
    private final RandomGenerator random;
    private long next;

    public Backoff(Duration initial, Duration max, RandomGenerator random) {
        this.initial = initial.toNanos();
        this.max = max.toNanos();
        this.random = random;
        next = this.initial;
    }

    /** The next wait, in nanoseconds. */
    public long next() {
        long wait = next;
        next = Math.min(max, next * 2);
        return wait - random.nextLong(wait / JITTER_DIVISOR + 1);
    }

    public void reset() {
        next = initial;
    }
}
