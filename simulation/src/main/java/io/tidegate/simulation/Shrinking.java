package io.tidegate.simulation;

import io.tidegate.simulation.stage.Cut;
import io.tidegate.simulation.stage.Fault;
import io.tidegate.simulation.stage.Feature;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Makes a failing run simpler, as long as it breaks the same rule: fewer transactions, features, kinds of faults and single
 * faults.
 */
final class Shrinking {

    private static final int RUNS_MAX = 600;

    private final long seed;
    private final String rule;
    private Cut cut = Cut.NOTHING;
    private int runs;

    private Shrinking(long seed, String rule) {
        this.seed = seed;
        this.rule = rule;
    }

    /** What can be left out of a run that breaks this rule. */
    static Cut of(long seed, String rule) {
        Shrinking shrinking = new Shrinking(seed, rule);
        boolean simpler = true;
        while (simpler && shrinking.runs < RUNS_MAX) {
            simpler = shrinking.transactions();
            simpler |= shrinking.features();
            simpler |= shrinking.faults();
            simpler |= shrinking.strikes();
        }
        return shrinking.cut;
    }

    private boolean attempt(Cut simpler) {
        if (runs >= RUNS_MAX) {
            return false;
        }
        runs++;
        if (Simulation.run(seed, simpler, null).rule().equals(rule)) {
            cut = simpler;
            return true;
        }
        return false;
    }

    private boolean transactions() {
        int most = Simulation.run(seed, cut, null).swarm().transactions();
        for (int fewer = 1; fewer < most; fewer = fewer * 2) {
            if (attempt(new Cut(cut.features(), cut.faults(), cut.strikes(), fewer))) {
                return true;
            }
        }
        return false;
    }

    private boolean features() {
        boolean simpler = false;
        for (Feature feature : Simulation.run(seed, cut, null).swarm().features()) {
            simpler |=
                    attempt(new Cut(with(cut.features(), feature), cut.faults(), cut.strikes(), cut.transactionsMax()));
        }
        return simpler;
    }

    private boolean faults() {
        boolean simpler = false;
        for (Fault fault : Simulation.run(seed, cut, null).swarm().faults()) {
            simpler |=
                    attempt(new Cut(cut.features(), with(cut.faults(), fault), cut.strikes(), cut.transactionsMax()));
        }
        return simpler;
    }

    /** Spans of single faults, long ones first. */
    private boolean strikes() {
        boolean simpler = false;
        int struck = Simulation.run(seed, cut, null).strikes();
        for (int length = Math.max(1, struck / 2); length >= 1; length /= 2) {
            for (int from = 0; from < struck; from += length) {
                Set<Integer> more = new HashSet<>(cut.strikes());
                List<Integer> span = new ArrayList<>();
                for (int i = from; i < Math.min(struck, from + length); i++) {
                    span.add(i);
                }
                if (more.addAll(span)) {
                    simpler |= attempt(new Cut(cut.features(), cut.faults(), more, cut.transactionsMax()));
                }
            }
        }
        return simpler;
    }

    private static <E> Set<E> with(Set<E> set, E more) {
        Set<E> larger = new HashSet<>(set);
        larger.add(more);
        return larger;
    }
}
