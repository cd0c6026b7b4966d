package io.tidegate.testkit.store;

import io.tidegate.engine.store.StateStore;
import io.tidegate.spi.Checkpoint;
import io.tidegate.spi.Replan;
import io.tidegate.spi.SourceRecord;
import io.tidegate.spi.SplitPlan;
import io.tidegate.spi.SplitProgress;
import io.tidegate.spi.SplitState;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;

/** Writes as an engine makes them, and what a checkpoint is after them by a model of its own. */
final class Writes {

    private Writes() {}

    /** One call of the store. */
    sealed interface Write permits Plan, Step {
        void to(StateStore store);

        Checkpoint after(Checkpoint before);
    }

    record Plan(Replan replan) implements Write {
        @Override
        public void to(StateStore store) {
            store.replan(replan);
        }

        @Override
        public Checkpoint after(Checkpoint before) {
            List<SplitState> splits = new ArrayList<>(before.splits());
            splits.removeIf(split -> replan.forget().contains(split.plan().id()));
            replan.add().forEach(plan -> splits.add(SplitState.fresh(plan)));
            return new Checkpoint(replan.source(), splits);
        }
    }

    record Step(List<SplitPlan> planned, List<SplitProgress> progress) implements Write {
        @Override
        public void to(StateStore store) {
            store.progress(planned, progress);
        }

        @Override
        public Checkpoint after(Checkpoint before) {
            Map<String, SplitState> splits = new LinkedHashMap<>();
            before.splits().forEach(split -> splits.put(split.plan().id(), split));
            planned.forEach(plan -> splits.put(plan.id(), SplitState.fresh(plan)));
            progress.forEach(
                    next -> splits.computeIfPresent(next.id(), (id, split) -> new SplitState(split.plan(), next)));
            return new Checkpoint(before.source(), List.copyOf(splits.values()));
        }

        /** Both in one write, the second one's progress last. */
        Step and(Step next) {
            List<SplitPlan> plans = new ArrayList<>(planned);
            plans.addAll(next.planned);
            List<SplitProgress> moves = new ArrayList<>(progress);
            moves.addAll(next.progress);
            return new Step(plans, moves);
        }
    }

    /** The birth of a pipeline: two chunks and the log after them. */
    static Plan birth() {
        return new Plan(new Replan(
                SourceRecord.EMPTY.with("server", "7340:\"x\"\n"),
                Set.of(),
                List.of(
                        new SplitPlan("chunk-1", List.of(), null, "id < 'ä\\'"),
                        new SplitPlan("chunk-2", List.of(), NumberPositions.at(5), ""),
                        new SplitPlan(
                                "log", List.of("chunk-1", "chunk-2"), NumberPositions.at(100), "{\"slot\":\"s\"}"))));
    }

    /** A write that is right where {@code now} is reached, of which {@code durable} is confirmed. */
    static Write next(Checkpoint now, Checkpoint durable, RandomGenerator choices) {
        if (now.isEmpty()) {
            return birth();
        }
        return switch (choices.nextInt(10)) {
            case 0 -> new Plan(Replan.record(now.source().with("n" + choices.nextInt(3), "v" + choices.nextLong())));
            case 1 -> again(now).map(Write.class::cast).orElseGet(() -> step(now, durable, choices));
            default -> step(now, durable, choices);
        };
    }

    private static Step step(Checkpoint now, Checkpoint durable, RandomGenerator choices) {
        List<SplitPlan> planned = new ArrayList<>();
        if (choices.nextInt(5) == 0) {
            String id = "shard-" + now.splits().size() + "-" + choices.nextInt(1_000_000_000);
            planned.add(new SplitPlan(id, List.of("chunk-1"), null, "spec"));
        }
        List<SplitProgress> progress = new ArrayList<>();
        for (SplitState split : now.splits()) {
            if (mayMove(durable, split) && choices.nextInt(3) > 0) {
                boolean isDone = !split.plan().id().equals("log") && choices.nextInt(6) == 0;
                long from = split.progress().position() instanceof NumberPositions.At at ? at.number() : 0;
                progress.add(
                        new SplitProgress(split.plan().id(), NumberPositions.at(from + choices.nextInt(10)), isDone));
            }
        }
        return new Step(planned, progress);
    }

    private static boolean mayMove(Checkpoint durable, SplitState split) {
        Set<String> done = durable.splits().stream()
                .filter(other -> other.progress().done())
                .map(other -> other.plan().id())
                .collect(Collectors.toSet());
        return !split.progress().done() && done.containsAll(split.plan().after());
    }

    /** A new attempt at a shard that was planned, under another id. */
    private static Optional<Plan> again(Checkpoint now) {
        return now.splits().stream()
                .map(split -> split.plan().id())
                .filter(id -> id.startsWith("shard-"))
                .findFirst()
                .map(id -> new Plan(new Replan(
                        now.source(),
                        Set.of(id),
                        List.of(new SplitPlan(id + "'", List.of("chunk-1"), NumberPositions.at(1), "again")))));
    }
}
