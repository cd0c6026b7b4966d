package io.tidegate.testkit.explore;

import io.tidegate.engine.gate.GateLimits;
import io.tidegate.testkit.explore.Script.Found;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A random walk through a configuration too large to exhaust, both made from one seed: faults first, then without. */
final class Walk {

    private static final int STEPS_WITH_FAULTS = 400;
    private static final int STEPS_TO_CATCH_UP_MAX = 4000;

    /** What walks have taken, over all of them. */
    static final class Tally {
        long walks;
        long steps;
        final long[] seen = new long[Step.values().length];

        @Override
        public String toString() {
            return String.format("%,d walks, %,d steps", walks, steps);
        }
    }

    private final Random random;
    private final Choices choices = new Choices();

    Walk(long seed) {
        random = new Random(seed);
    }

    /** Walks with the seeds from 0 on; returns what went wrong first, with its seed, or null. */
    static @Nullable String all(long walks, Tally tally) {
        for (long seed = 0; seed < walks; seed++) {
            String wrong = new Walk(seed).run(tally);
            if (wrong != null) {
                return wrong + " (walk with seed " + seed + ")";
            }
        }
        return null;
    }

    /** Returns what went wrong, or null. */
    @Nullable
    String run(Tally tally) {
        tally.walks++;
        World world = new World(configuration());
        int faultEvery = 2 + random.nextInt(30);
        for (int n = 0; n < STEPS_WITH_FAULTS; n++) {
            world.choices(choices);
            if (choices.progress() == 0) {
                break;
            }
            boolean fault = choices.size() > choices.progress() && random.nextInt(faultEvery) == 0;
            int index = fault
                    ? choices.progress() + random.nextInt(choices.size() - choices.progress())
                    : random.nextInt(choices.progress());
            String wrong = step(world, choices.get(index), tally);
            if (wrong != null) {
                return wrong + ", at step " + n;
            }
        }
        for (int n = 0; n < STEPS_TO_CATCH_UP_MAX; n++) {
            world.choices(choices);
            if (choices.progress() == 0) {
                return Checks.stuck(world);
            }
            String wrong = step(world, choices.get(random.nextInt(choices.progress())), tally);
            if (wrong != null) {
                return wrong + ", while catching up";
            }
        }
        return Checks.STUCK + "does not catch up";
    }

    private static @Nullable String step(World world, int step, Tally tally) {
        world.apply(step);
        tally.steps++;
        tally.seen[Step.kind(step).code()]++;
        return world.violation;
    }

    private Configuration configuration() {
        List<Script> scripts = new ArrayList<>();
        List<String> ids = new ArrayList<>();
        int chunks = 1 + random.nextInt(3);
        for (int i = 0; i < chunks; i++) {
            String id = "C" + i;
            String[] after = i > 0 && random.nextInt(3) == 0 ? new String[] {ids.get(i - 1)} : new String[0];
            scripts.add(Script.chunk(id, items(2 + random.nextInt(8), false), after));
            ids.add(id);
        }
        Script log = Script.log("L", items(6 + random.nextInt(20), true), ids.toArray(new String[0]));
        scripts.add(random.nextBoolean() ? log : log.found(Found.WHILE_READING));
        GateLimits limits = new GateLimits(
                1 + random.nextInt(6),
                3 + random.nextInt(20),
                1 + random.nextInt(5),
                1 + random.nextInt(4),
                random.nextInt(3),
                1,
                4,
                1 + random.nextInt(6));
        Set<Trait> traits = EnumSet.noneOf(Trait.class);
        for (Trait trait : Trait.values()) {
            if (random.nextBoolean()) {
                traits.add(trait);
            }
        }
        return new Configuration("walk", limits, traits, 1 + random.nextInt(4), scripts);
    }

    /** A script that ends no transaction late: its last row ends one. */
    private String items(int length, boolean markers) {
        StringBuilder items = new StringBuilder();
        boolean inside = false;
        for (int i = 0; i < length; i++) {
            char item = item(inside, markers);
            if (i == length - 1 && (inside || item == 'r')) {
                item = 'c';
            }
            items.append(item);
            inside = item == 'r';
        }
        return items.toString();
    }

    private char item(boolean inside, boolean markers) {
        if (inside) {
            return random.nextInt(3) == 0 ? 'c' : 'r';
        }
        if (markers && random.nextInt(3) == 0) {
            return 'm';
        }
        return random.nextBoolean() ? 'r' : 'c';
    }
}
