package io.tidegate.bench.workload;

import java.util.List;

/**
 * How a {@link Contest} is run.
 *
 * @param rounds how often each contender runs
 * @param jvm options of each contender's JVM
 * @param contenders names; empty: all
 */
public record ContestOptions(int rounds, List<String> jvm, List<String> contenders) {

    boolean runs(String contender) {
        return contenders.isEmpty() || contenders.contains(contender);
    }
}
