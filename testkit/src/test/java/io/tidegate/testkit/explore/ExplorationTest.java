package io.tidegate.testkit.explore;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The share of exploration that each build does. {@code -Dexplore.states} and {@code -Dexplore.walks} ask for more or
 * less; a share fails that is too small to see each kind of transition, or smaller than a million states.
 */
class ExplorationTest {

    private static final long STATES = Long.getLong("explore.states", 150_000);
    private static final long STATES_MIN = 1_000_000;
    private static final long WALKS = Long.getLong("explore.walks", 20_000);

    @Test
    void holdsTheInvariantsInEachStateOfEachSmallConfiguration() {
        long[] seen = new long[Step.values().length];
        long states = 0;
        List<String> violations = new ArrayList<>();
        List<Explorer> explorers = Configurations.all().parallelStream()
                .map(configuration -> new Explorer(configuration, STATES).depthFirst())
                .toList();
        for (int i = 0; i < explorers.size(); i++) {
            Configuration configuration = Configurations.all().get(i);
            Explorer explorer = explorers.get(i);
            System.out.println(Explore.line(configuration, explorer));
            add(seen, explorer.seen());
            states += explorer.states();
            if (explorer.violation() != null) {
                violations.add(configuration.name + ": " + explorer.violation());
            }
        }
        System.out.printf("%,d states; transitions: %s%n", states, Explore.kinds(seen));
        assertThat(violations).isEmpty();
        assertThat(states).as("states in all").isGreaterThanOrEqualTo(STATES_MIN);
        assertThat(neverSeen(seen)).as("transitions that were never taken").isEmpty();
    }

    @Test
    void holdsTheInvariantsOnRandomWalksThroughLargerConfigurations() {
        Walk.Tally tally = new Walk.Tally();
        String violation = Walk.all(WALKS, tally);
        System.out.println(tally);
        assertThat(violation).isNull();
        List<String> never = new ArrayList<>(neverSeen(tally.seen));
        never.remove(Step.REPLAN.toString()); // walks have one attempt
        assertThat(never).as("transitions that were never taken").isEmpty();
    }

    @Test
    void findsTheSameStatesDepthFirstAndBreadthFirst() {
        Configuration configuration = Configurations.named("idle");
        Explorer depthFirst = new Explorer(configuration, STATES).depthFirst();
        Explorer breadthFirst = new Explorer(configuration, STATES).breadthFirst();
        assertThat(breadthFirst.states()).isEqualTo(depthFirst.states());
        assertThat(breadthFirst.transitions()).isEqualTo(depthFirst.transitions());
        assertThat(depthFirst.complete()).isTrue();
    }

    private static void add(long[] sum, long[] more) {
        for (int i = 0; i < sum.length; i++) {
            sum[i] += more[i];
        }
    }

    private static List<String> neverSeen(long[] seen) {
        return Arrays.stream(Step.values())
                .filter(step -> seen[step.code()] == 0)
                .map(Step::toString)
                .toList();
    }
}
