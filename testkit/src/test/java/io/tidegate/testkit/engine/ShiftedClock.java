package io.tidegate.testkit.engine;

import io.tidegate.engine.env.Clock;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** This machine's clock, that a test can put forward. Any thread. */
final class ShiftedClock implements Clock {

    private final Clock clock = Clock.system();
    private final AtomicLong ahead = new AtomicLong();

    void forward(Duration time) {
        ahead.addAndGet(time.toNanos());
    }

    @Override
    public long nanoTime() {
        return clock.nanoTime() + ahead.get();
    }

    @Override
    public long epochMillis() {
        return clock.epochMillis() + ahead.get() / 1_000_000;
    }
}
