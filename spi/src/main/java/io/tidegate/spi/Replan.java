package io.tidegate.spi;

import java.util.List;
import java.util.Set;

/**
 * One durable step of a source that is getting ready: replaces its record, forgets splits, adds others; all of it is one
 * write. Splits that come {@code after} a forgotten one must be forgotten with it.
 */
public record Replan(SourceRecord source, Set<String> forget, List<SplitPlan> add) {

    public Replan {
        forget = Set.copyOf(forget);
        add = List.copyOf(add);
    }

    public static Replan record(SourceRecord source) {
        return new Replan(source, Set.of(), List.of());
    }
}
