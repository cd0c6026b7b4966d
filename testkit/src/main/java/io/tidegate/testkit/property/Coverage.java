package io.tidegate.testkit.property;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** How often each label was seen. */
final class Coverage {
    private final Map<String, Long> counts = new TreeMap<>();

    void count(String label) {
        counts.merge(label, 1L, Long::sum);
    }

    /** Those of the labels that were never seen, in order. */
    List<String> missing(Collection<String> labels) {
        return labels.stream()
                .filter(label -> !counts.containsKey(label))
                .sorted()
                .toList();
    }

    @Override
    public String toString() {
        return counts.toString();
    }
}
