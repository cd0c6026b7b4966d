package io.tidegate.testkit.explore;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Visits the states of a configuration: each reachable one once, known by its digest, without a bound on failures, crashes,
 * stops and restarts. From every {@value #CATCH_UP_EVERY}th state on, and from each one where nothing makes progress, faults
 * are turned off, and the world must come to its end.
 */
final class Explorer {

    static final int CATCH_UP_EVERY = 64;
    private static final int CATCH_UP_STEPS_MAX = 500;

    /** A violation and the steps to it. */
    record Violation(String what, List<Integer> steps) {

        @Override
        public String toString() {
            return what + ", after "
                    + String.join(" ", steps.stream().map(Step::show).toList());
        }
    }

    private final Configuration configuration;
    private final long statesMax;
    private final Choices choices = new Choices();
    private final Fingerprints visited = new Fingerprints();
    private final long[] seen = new long[Step.values().length];
    /** The steps of the catching up that went wrong. */
    private final List<Integer> catchUpSteps = new ArrayList<>();

    private long transitions;
    private int depth;
    private long catchUps;
    private boolean complete;
    private @Nullable Violation violation;

    Explorer(Configuration configuration, long statesMax) {
        this.configuration = configuration;
        this.statesMax = statesMax;
    }

    long states() {
        return visited.size();
    }

    long transitions() {
        return transitions;
    }

    int depth() {
        return depth;
    }

    long catchUps() {
        return catchUps;
    }

    /** Whether there was nothing left to visit. */
    boolean complete() {
        return complete;
    }

    /** How often each kind of transition was taken. */
    long[] seen() {
        return seen.clone();
    }

    @Nullable
    Violation violation() {
        return violation;
    }

    /** A state on the path that is being followed. */
    private static final class Fork {
        final World world;
        final int[] steps;
        final boolean progress;
        int next;

        Fork(World world, Choices choices) {
            this.world = world;
            world.choices(choices);
            steps = choices.toArray();
            progress = choices.progress() > 0;
        }
    }

    /** Depth first: little memory, long traces. */
    Explorer depthFirst() {
        ArrayList<Fork> path = new ArrayList<>();
        World first = new World(configuration);
        visited.add(first.digest());
        path.add(new Fork(first, choices));
        while (!path.isEmpty() && visited.size() < statesMax) {
            Fork fork = path.get(path.size() - 1);
            if (fork.next == fork.steps.length) {
                path.remove(path.size() - 1);
                continue;
            }
            World world = step(fork.world, fork.steps[fork.next++]);
            String wrong = world.violation;
            if (wrong == null && visited.add(world.digest())) {
                path.add(new Fork(world, choices));
                depth = Math.max(depth, path.size() - 1);
                wrong = judge(world, path.get(path.size() - 1).progress);
                if (wrong != null) {
                    path.remove(path.size() - 1);
                }
            }
            if (wrong != null) {
                List<Integer> steps = new ArrayList<>();
                path.forEach(each -> steps.add(each.steps[each.next - 1]));
                violate(wrong, steps);
                return this;
            }
        }
        complete = path.isEmpty();
        return this;
    }

    private record Node(@Nullable Node before, int step) {}

    private record Leaf(World world, Node node) {}

    /** Breadth first: the shortest trace, at the price of memory. */
    Explorer breadthFirst() {
        ArrayDeque<Leaf> queue = new ArrayDeque<>();
        World first = new World(configuration);
        visited.add(first.digest());
        queue.add(new Leaf(first, new Node(null, -1)));
        while (!queue.isEmpty() && visited.size() < statesMax) {
            Leaf leaf = queue.remove();
            Fork fork = new Fork(leaf.world, choices);
            for (int step : fork.steps) {
                World world = step(fork.world, step);
                Node node = new Node(leaf.node, step);
                String wrong = world.violation;
                if (wrong == null && visited.add(world.digest())) {
                    queue.add(new Leaf(world, node));
                    world.choices(choices);
                    wrong = judge(world, choices.progress() > 0);
                }
                boolean shortest = wrong == null || wrong.equals(world.violation) || wrong.startsWith(Checks.STUCK);
                if (wrong != null && shortest) { // what else catching up ran into comes by itself, by a shorter way
                    violate(wrong, trace(node));
                    return this;
                }
            }
        }
        complete = queue.isEmpty();
        return this;
    }

    private World step(World from, int step) {
        catchUpSteps.clear();
        World world = new World(from);
        world.apply(step);
        transitions++;
        seen[Step.kind(step).code()]++;
        return world;
    }

    private void violate(String what, List<Integer> steps) {
        List<Integer> all = new ArrayList<>(steps);
        all.addAll(catchUpSteps);
        violation = new Violation(what, all);
    }

    private @Nullable String judge(World world, boolean progress) {
        if (!progress) {
            return Checks.stuck(world);
        }
        return visited.size() % CATCH_UP_EVERY == 0 ? catchUp(world) : null;
    }

    private @Nullable String catchUp(World from) {
        World world = new World(from);
        catchUps++;
        for (int steps = 0; steps < CATCH_UP_STEPS_MAX; steps++) {
            world.choices(choices);
            if (choices.progress() == 0) {
                String wrong = Checks.stuck(world);
                if (wrong == null) {
                    catchUpSteps.clear();
                }
                return wrong;
            }
            int step = choices.get(steps * 7 % choices.progress());
            catchUpSteps.add(step);
            world.apply(step);
            if (world.violation != null) {
                return world.violation;
            }
        }
        return Checks.STUCK + "does not catch up";
    }

    private static List<Integer> trace(Node last) {
        ArrayDeque<Integer> steps = new ArrayDeque<>();
        for (Node node = last; node.before != null; node = node.before) {
            steps.addFirst(node.step);
        }
        return List.copyOf(steps);
    }
}
