package io.tidegate.simulation.stage;

import io.tidegate.simulation.schedule.Killed;
import io.tidegate.simulation.schedule.Scheduler;
import io.tidegate.testkit.property.Choices;
import java.io.PrintStream;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What all parts of one run share. Its choices come in streams, one for each purpose, so that a run that leaves something
 * out is otherwise as near to the whole one as can be.
 */
public final class Stage {

    private static final long STREAM = 0x5DEECE66DL;

    private final Swarm swarm;
    private final Scheduler scheduler;
    private final Choices work;
    private final Choices luck;
    private final Faults faults;
    private final Tally tally = new Tally();
    private final Trace trace;

    public Stage(long seed, Cut cut, @Nullable PrintStream out) {
        swarm = Swarm.of(seed, stream(seed, 1)).without(cut);
        scheduler = new Scheduler(stream(seed, 2));
        work = stream(seed, 3);
        luck = stream(seed, 4);
        trace = new Trace(scheduler, out);
        Faults.Odds odds = new Faults.Odds(swarm.faults(), swarm.faultOneIn(), swarm.strikesMax(), cut.strikes());
        faults = new Faults(stream(seed, 5), odds, tally, trace);
    }

    private static Choices stream(long seed, int number) {
        return Choices.seeded(seed * STREAM + number * 0x9E3779B97F4A7C15L);
    }

    public Swarm swarm() {
        return swarm;
    }

    public Scheduler scheduler() {
        return scheduler;
    }

    /** What the application does. */
    public Choices work() {
        return work;
    }

    /** What is neither a fault nor the application's: how long a call takes, how much it gives. */
    public Choices luck() {
        return luck;
    }

    public Faults faults() {
        return faults;
    }

    public Tally tally() {
        return tally;
    }

    public void saw(Seen what) {
        tally.count(what);
    }

    public void say(Supplier<String> what) {
        trace.say(what);
    }

    public boolean has(Feature feature) {
        return swarm.has(feature);
    }

    /** Ends the run: this rule is broken. Never returns. */
    public Killed violate(String rule, String text) {
        Violation violation = new Violation(rule, text);
        trace.say(() -> "## " + violation.getMessage());
        scheduler.end(violation);
        throw new Killed();
    }

    /** Ends the run unless it holds. */
    public void check(boolean holds, String rule, Supplier<String> text) {
        if (!holds) {
            throw violate(rule, text.get());
        }
    }
}
