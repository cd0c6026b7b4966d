package io.tidegate.testkit.explore;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Explores the core from the command line, as long as wanted: {@code Explore <states> [<walks> [<configuration>...]]}. Ends
 * with status 1 and the shortest trace it finds when an invariant is broken.
 */
public final class Explore {

    /** Breadth first keeps whole states in memory. */
    private static final long SHORTEST_STATES_MAX = 200_000;

    private Explore() {}

    public static void main(String[] arguments) {
        if (arguments.length == 0) {
            System.err.println("usage: Explore <states of each configuration> [<random walks> [<configuration>...]]");
            System.exit(2);
        }
        long states = Long.parseLong(arguments[0]);
        long walks = arguments.length < 2 ? 0 : Long.parseLong(arguments[1]);
        List<Configuration> configurations = new ArrayList<>();
        for (String name : Arrays.asList(arguments).subList(Math.min(2, arguments.length), arguments.length)) {
            configurations.add(Configurations.named(name));
        }
        boolean sound = true;
        long visited = 0;
        long[] seen = new long[Step.values().length];
        for (Configuration configuration : configurations.isEmpty() ? Configurations.all() : configurations) {
            Explorer explorer = explore(configuration, states);
            sound &= explorer.violation() == null;
            visited += explorer.states();
            Arrays.setAll(seen, i -> seen[i] + explorer.seen()[i]);
        }
        System.out.printf("%,d states in all; transitions: %s%n", visited, kinds(seen));
        Walk.Tally tally = new Walk.Tally();
        String wrong = Walk.all(walks, tally);
        System.out.println(wrong == null ? tally : wrong);
        System.exit(sound && wrong == null ? 0 : 1);
    }

    private static Explorer explore(Configuration configuration, long states) {
        long start = System.nanoTime();
        Explorer explorer = new Explorer(configuration, states).depthFirst();
        System.out.printf("%s, %.1f s%n", line(configuration, explorer), (System.nanoTime() - start) / 1e9);
        if (explorer.violation() != null) {
            String shortest = shortestViolation(configuration.name, Math.min(states, SHORTEST_STATES_MAX));
            System.out.println("  " + (shortest == null ? explorer.violation() : shortest));
        }
        return explorer;
    }

    /** The violation nearest to the start of a configuration, with its trace; null: none in that many states. */
    public static @Nullable String shortestViolation(String configuration, long states) {
        Explorer.Violation violation = new Explorer(Configurations.named(configuration), states)
                .breadthFirst()
                .violation();
        return violation == null ? null : violation.toString();
    }

    /** The first violation of that many random walks, with its seed; null: none. */
    public static @Nullable String walkUntilViolated(long walks) {
        return Walk.all(walks, new Walk.Tally());
    }

    /** How often each kind of transition was taken. */
    static String kinds(long[] seen) {
        return Arrays.stream(Step.values())
                .map(kind -> String.format("%s %,d", kind, seen[kind.code()]))
                .collect(Collectors.joining(", "));
    }

    /** What an exploration has seen, in one line. */
    static String line(Configuration configuration, Explorer explorer) {
        return String.format(
                "%-20s %-8s states %,10d  transitions %,11d  depth %,6d  catch-ups %,8d",
                configuration.name,
                explorer.violation() != null ? "VIOLATED" : explorer.complete() ? "complete" : "budget",
                explorer.states(),
                explorer.transitions(),
                explorer.depth(),
                explorer.catchUps());
    }
}
