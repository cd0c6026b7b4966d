package io.tidegate.simulation.stage;

import io.tidegate.simulation.schedule.Scheduler;
import java.io.PrintStream;
import java.util.Locale;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What happened, a line each: virtual time, the role, and what it met. Costs nothing while nobody reads it. */
public final class Trace {

    private static final double NANOS_PER_SECOND = 1e9;

    private final Scheduler scheduler;
    private final @Nullable PrintStream out;

    public Trace(Scheduler scheduler, @Nullable PrintStream out) {
        this.scheduler = scheduler;
        this.out = out;
    }

    public void say(Supplier<String> what) {
        if (out != null) {
            out.printf(
                    Locale.ROOT,
                    "%10.4f  %-28s %s%n",
                    scheduler.nanoTime() / NANOS_PER_SECOND,
                    scheduler.who(),
                    what.get());
        }
    }
}
