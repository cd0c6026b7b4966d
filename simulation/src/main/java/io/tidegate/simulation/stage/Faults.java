package io.tidegate.simulation.stage;

import io.tidegate.testkit.property.Choices;
import java.util.Set;

/**
 * Decides what goes wrong. Faults of a run are numbered in the order in which they strike, so that a shrunk run can leave
 * some out by number.
 */
public final class Faults {

    /** How likely a kind of fault is at each chance it gets, and which ones are left out by number. */
    public record Odds(Set<Fault> kinds, int oneIn, int strikesMax, Set<Integer> suppressed) {}

    private final Choices choices;
    private final Odds odds;
    private final Tally tally;
    private final Trace trace;
    private int struck;
    private boolean off;

    Faults(Choices choices, Odds odds, Tally tally, Trace trace) {
        this.choices = choices;
        this.odds = odds;
        this.tally = tally;
        this.trace = trace;
    }

    /** Whether this goes wrong now, as likely as the run's odds say. */
    public boolean strikes(Fault kind) {
        return strikes(kind, odds.oneIn());
    }

    /** Whether this goes wrong now. */
    public boolean strikes(Fault kind, int oneIn) {
        if (off || !odds.kinds().contains(kind) || struck >= odds.strikesMax() || !choices.chance(oneIn)) {
            return false;
        }
        int number = struck++;
        if (odds.suppressed().contains(number)) {
            return false;
        }
        tally.count(kind);
        trace.say(() -> "!! " + kind + " (fault " + number + ")");
        return true;
    }

    /** A number for how bad it is. */
    public long between(long lowest, long highest) {
        return choices.between(lowest, highest);
    }

    /** Nothing goes wrong any more. */
    public void off() {
        off = true;
    }

    public boolean isOff() {
        return off;
    }

    /** How many struck, or would have if they were not left out. */
    public int struck() {
        return struck;
    }
}
