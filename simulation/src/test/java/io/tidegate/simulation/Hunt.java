package io.tidegate.simulation;

import io.tidegate.simulation.stage.Cut;
import io.tidegate.simulation.stage.Stage;
import io.tidegate.simulation.stage.Swarm;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** Runs seed after seed until something is broken. Loaded anew for each mutant. */
public final class Hunt {

    private Hunt() {}

    /**
     * The number of the run, its seed, and what it broke; empty if nothing is broken.
     *
     * @param where only seeds whose run has all of these count: upstream, target, policy, features, kinds of faults
     * @param from the first seed
     */
    public static String first(long runs, String where, long from) {
        Simulate.quiet();
        List<String> wanted =
                Stream.of(where.split(" ", -1)).filter(word -> !word.isEmpty()).toList();
        long run = 0;
        for (long seed = from; run < runs; seed++) {
            if (words(new Stage(seed, Cut.NOTHING, null).swarm()).containsAll(wanted)) {
                run++;
                Simulation.Result result = Simulation.run(seed, Cut.NOTHING, null);
                if (result.violation() != null) {
                    return run + " " + seed + " " + result.violation().getMessage();
                }
            }
        }
        return "";
    }

    /** How the failure of a seed is reported. */
    public static String report(long seed) {
        return Simulate.report(seed, Simulation.run(seed, Cut.NOTHING, null));
    }

    /** What the command line prints. */
    public static String trace(String arguments) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8)) {
            new Simulate(arguments.split(" ", -1), out).run();
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }

    private static Set<String> words(Swarm swarm) {
        Set<String> words = new HashSet<>();
        words.add(swarm.upstream().name());
        words.add(swarm.target().name());
        words.add(swarm.options().rejects().name());
        swarm.features().forEach(feature -> words.add(feature.name()));
        swarm.faults().forEach(fault -> words.add(fault.name()));
        return words;
    }
}
