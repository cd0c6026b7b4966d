package io.tidegate.simulation;

import io.tidegate.simulation.stage.Cut;
import io.tidegate.simulation.stage.Fault;
import io.tidegate.simulation.stage.Feature;
import java.io.PrintStream;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The command line: many seeds, or one with its trace. Exit status 0: nothing is broken; 1: something is; 2: wrong arguments.
 */
public final class Simulate {

    /** Kept, so that what the engine logs of simulated faults stays off. */
    private static final Logger ENGINE = Logger.getLogger("io.tidegate");

    private static final int FAILURES_MAX = 10;
    private static final List<String> KNOWN = List.of(
            "--seed",
            "--seeds",
            "--from",
            "--minutes",
            "--threads",
            "--without-features",
            "--without-faults",
            "--without-strikes",
            "--transactions");

    private final Map<String, String> given = new HashMap<>();
    private final PrintStream out;

    Simulate(String[] arguments, PrintStream out) {
        this.out = out;
        for (int i = 0; i < arguments.length; i += 2) {
            if (!KNOWN.contains(arguments[i]) || i + 1 == arguments.length) {
                throw new IllegalArgumentException("known are, with a value each: " + String.join(" ", KNOWN));
            }
            given.put(arguments[i], arguments[i + 1]);
        }
    }

    public static void main(String[] arguments) {
        quiet();
        int status;
        try {
            status = new Simulate(arguments, System.out).run();
        } catch (IllegalArgumentException e) {
            System.err.println(e.getMessage());
            status = 2;
        }
        System.exit(status);
    }

    /** What the engine logs of faults that are simulated is nothing that anybody should read. */
    static void quiet() {
        ENGINE.setLevel(Level.OFF);
    }

    /** Returns the exit status. */
    int run() {
        return given.containsKey("--seed") ? one(number("--seed", 0)) : many();
    }

    private int one(long seed) {
        Simulation.Result result = Simulation.run(seed, cut(), out);
        out.println(result.swarm());
        out.printf(Locale.ROOT, "%d steps, %.1f virtual seconds%n", result.steps(), result.seconds());
        if (result.violation() == null) {
            out.println("nothing is broken");
            return 0;
        }
        out.println(result.violation().getMessage());
        Throwable cause = result.violation().getCause();
        if (cause != null) {
            cause.printStackTrace(out);
        }
        return 1;
    }

    private Cut cut() {
        return new Cut(
                set("--without-features", Feature::valueOf),
                set("--without-faults", Fault::valueOf),
                set("--without-strikes", Integer::valueOf),
                (int) number("--transactions", Integer.MAX_VALUE));
    }

    private <T> Set<T> set(String name, Function<String, T> parse) {
        String text = given.get(name);
        return text == null
                ? Set.of()
                : Stream.of(text.split(",", -1)).map(parse).collect(Collectors.toUnmodifiableSet());
    }

    private int many() {
        long nanosMax = given.containsKey("--minutes")
                ? Duration.ofMinutes(number("--minutes", 1)).toNanos()
                : Long.MAX_VALUE / 2;
        long seeds = number("--seeds", given.containsKey("--minutes") ? Long.MAX_VALUE / 2 : 1_000);
        long begin = System.nanoTime();
        Runs runs = Runs.of(
                new Runs.Budget(number("--from", 1), seeds, nanosMax, FAILURES_MAX), (int) number("--threads", 1));
        double took = (System.nanoTime() - begin) / 1e9;
        runs.tally().counts().forEach((name, times) -> out.printf(Locale.ROOT, "%,12d  %s%n", times, name));
        out.printf(
                Locale.ROOT,
                "%,d seeds from %d on, %d broken; %,d steps, %,.0f virtual seconds; %.1f seconds, %.0f seeds a second%n",
                runs.runs(),
                number("--from", 1),
                runs.failed().size(),
                runs.steps(),
                runs.seconds(),
                took,
                runs.runs() / took);
        runs.failed().forEach((seed, result) -> out.println(report(seed, result)));
        return runs.failed().isEmpty() ? 0 : 1;
    }

    /** A failure, made simpler, with the command that repeats it. */
    static String report(long seed, Simulation.Result result) {
        Cut cut = Shrinking.of(seed, result.rule());
        Simulation.Result smallest = Simulation.run(seed, cut, null);
        return "seed " + seed + ": " + message(result) + "\n  smaller: " + message(smallest) + "\n  again with: --seed "
                + seed + cut.arguments();
    }

    private static String message(Simulation.Result result) {
        return result.violation() == null
                ? "not any more: the run is not determined by its seed"
                : String.valueOf(result.violation().getMessage());
    }

    private long number(String name, long absent) {
        String text = given.get(name);
        return text == null ? absent : Long.parseLong(text);
    }
}
