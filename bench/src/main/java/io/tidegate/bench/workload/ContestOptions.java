package io.tidegate.bench.workload;

import io.tidegate.bench.contender.TidegateContender;
import java.util.ArrayList;
import java.util.List;

/**
 * How a {@link Contest} is run.
 *
 * @param rounds how often each contender runs
 * @param jvm options of each contender's JVM
 * @param contenders names; empty: all
 */
public record ContestOptions(int rounds, List<String> jvm, List<String> contenders) {

    /** Options of the JVM of this contender: for all the same, and what its launcher gives it. */
    List<String> jvm(Class<?> main) {
        List<String> all = new ArrayList<>(jvm);
        if (main == TidegateContender.class) {
            all.addAll(TidegateContender.JVM);
        }
        return all;
    }

    boolean runs(String contender) {
        return contenders.isEmpty() || contenders.contains(contender);
    }
}
