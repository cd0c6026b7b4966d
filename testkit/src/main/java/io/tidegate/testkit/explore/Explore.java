package io.tidegate.testkit.explore;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Explores the core from the command line, as long as wanted: {@code Explore <states> [<walks> [<configuration>...]]}. Ends
 * with status 1 and the shortest trace it finds when an invariant is broken.
 */
public final class Explore {

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
        for (Configuration configuration : configurations.isEmpty() ? Configurations.all() : configurations) {
            sound &= explore(configuration, states);
        }
        Walk.Tally tally = new Walk.Tally();
        for (long seed = 0; seed < walks && sound; seed++) {
            String wrong = new Walk(seed).run(tally);
            if (wrong != null) {
                System.out.println("walk " + seed + ": " + wrong);
                sound = false;
            }
        }
        System.out.println(tally);
        System.exit(sound ? 0 : 1);
    }

    private static boolean explore(Configuration configuration, long states) {
        long start = System.nanoTime();
        Explorer explorer = new Explorer(configuration, states).depthFirst();
        System.out.printf(
                "%s, %.1f s%n", line(configuration, explorer), (System.nanoTime() - start) / 1e9);
        if (explorer.violation() == null) {
            return true;
        }
        Explorer.Violation shortest =
                new Explorer(configuration, Math.min(states, 200_000)).breadthFirst().violation();
        System.out.println("  " + (shortest == null ? explorer.violation() : shortest));
        return false;
    }

    /** What an exploration has seen, in one line. */
    static String line(Configuration configuration, Explorer explorer) {
        return String.format(
                "%-15s %-8s states %,10d  transitions %,11d  depth %,6d  catch-ups %,8d",
                configuration.name,
                explorer.violation() != null ? "VIOLATED" : explorer.complete() ? "complete" : "budget",
                explorer.states(),
                explorer.transitions(),
                explorer.depth(),
                explorer.catchUps());
    }
}
