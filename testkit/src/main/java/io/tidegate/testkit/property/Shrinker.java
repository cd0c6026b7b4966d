package io.tidegate.testkit.property;

import java.time.Duration;
import java.util.Optional;

/**
 * Makes a failing record simpler, as long as it still fails in the same way.
 *
 * <p>Two sorts of steps, repeated until none helps: leave out a span of choices (long spans first), and lower a choice
 * (to 0, by halves, by 1), alone or together with leaving out a span behind it, which fits a size to fewer elements.
 */
final class Shrinker {
    /** Runs the property on a record; gives the failure it ends in, if it is the one that is being shrunk. */
    @FunctionalInterface
    interface Trial {
        Optional<Failure> run(LongSequence record);
    }

    private static final int TRIALS_MAX = 20_000;
    private static final int REACH = 16;
    private static final int SHORT_SPAN = 8;

    private final Trial trial;
    private final long endNanos;
    private Failure best;
    private int trials;

    Shrinker(Failure first, Trial trial, Duration limit) {
        this.best = first;
        this.trial = trial;
        this.endNanos = System.nanoTime() + limit.toNanos();
    }

    /** The simplest failure found. */
    Failure shrink() {
        boolean simpler = true;
        while (simpler && hasTime()) {
            simpler = leaveOut();
            simpler |= lower();
            simpler |= lowerAndLeaveOut();
        }
        return best;
    }

    int trials() {
        return trials;
    }

    private boolean leaveOut() {
        boolean simpler = false;
        int length = best.record().size();
        while (length > 0 && hasTime()) {
            int step = length <= SHORT_SPAN ? 1 : length / 2;
            int from = best.record().size() - length;
            while (from >= 0 && hasTime()) {
                simpler |= attempt(best.record().without(from, from + length));
                from = Math.min(from - step, best.record().size() - length);
            }
            // Long spans by halves; the short ones all, as an element may be of any size.
            length = length <= SHORT_SPAN ? length - 1 : Math.max(SHORT_SPAN, length / 2);
        }
        return simpler;
    }

    private boolean lower() {
        boolean simpler = false;
        for (int i = 0; i < best.record().size() && hasTime(); i++) {
            simpler |= lower(i);
        }
        return simpler;
    }

    /** Finds the lowest value at a place, if what fails with a value fails with all higher ones. */
    private boolean lower(int index) {
        if (best.record().get(index) == 0) {
            return false;
        }
        if (attempt(best.record().with(index, 0))) {
            return true;
        }
        boolean simpler = false;
        long passes = 0;
        while (index < best.record().size()) {
            long fails = best.record().get(index);
            long gap = fails - passes;
            if (Long.compareUnsigned(fails, passes) <= 0 || gap == 1 || !hasTime()) {
                break;
            }
            long middle = passes + (gap >>> 1);
            if (attempt(best.record().with(index, middle))) {
                simpler = true;
            } else {
                passes = middle;
            }
        }
        return simpler;
    }

    private boolean lowerAndLeaveOut() {
        boolean simpler = false;
        for (int i = 0; i < best.record().size() && hasTime(); i++) {
            simpler |= lowerAndLeaveOut(i);
        }
        return simpler;
    }

    private boolean lowerAndLeaveOut(int index) {
        for (int from = index + 1; from <= Math.min(index + REACH, best.record().size() - 1); from++) {
            for (int length = 1; length <= Math.min(SHORT_SPAN, best.record().size() - from); length++) {
                long value = best.record().get(index);
                if (value == 0 || !hasTime()) {
                    return false;
                }
                if (attempt(best.record().with(index, value - 1).without(from, from + length))) {
                    return true;
                }
            }
        }
        return false;
    }

    private boolean attempt(LongSequence candidate) {
        trials++;
        Optional<Failure> failure = trial.run(candidate);
        // What was really drawn counts: it may be shorter than the candidate, or longer by zeros.
        if (failure.isPresent() && failure.get().record().isSimplerThan(best.record())) {
            best = failure.get();
            return true;
        }
        return false;
    }

    private boolean hasTime() {
        return trials < TRIALS_MAX && System.nanoTime() - endNanos < 0;
    }
}
