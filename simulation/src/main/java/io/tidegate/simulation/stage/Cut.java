package io.tidegate.simulation.stage;

import java.util.Set;
import java.util.TreeSet;

/**
 * What a run leaves out of what its seed gives, to make a failure simpler. Immutable.
 *
 * @param strikes faults by number
 */
public record Cut(Set<Feature> features, Set<Fault> faults, Set<Integer> strikes, int transactionsMax) {

    public static final Cut NOTHING = new Cut(Set.of(), Set.of(), Set.of(), Integer.MAX_VALUE);

    public Cut {
        features = Set.copyOf(features);
        faults = Set.copyOf(faults);
        strikes = Set.copyOf(strikes);
    }

    /** As arguments of the command line. */
    public String arguments() {
        StringBuilder text = new StringBuilder();
        if (!features.isEmpty()) {
            text.append(" --without-features ").append(joined(features));
        }
        if (!faults.isEmpty()) {
            text.append(" --without-faults ").append(joined(faults));
        }
        if (!strikes.isEmpty()) {
            text.append(" --without-strikes ").append(joined(strikes));
        }
        if (transactionsMax != Integer.MAX_VALUE) {
            text.append(" --transactions ").append(transactionsMax);
        }
        return text.toString();
    }

    private static String joined(Set<?> set) {
        StringBuilder text = new StringBuilder();
        for (Object each : new TreeSet<>(set)) {
            text.append(text.length() == 0 ? "" : ",").append(each);
        }
        return text.toString();
    }
}
