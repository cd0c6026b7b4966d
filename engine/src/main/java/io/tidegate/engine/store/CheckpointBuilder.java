package io.tidegate.engine.store;

import io.tidegate.spi.Check;
import io.tidegate.spi.Checkpoint;
import io.tidegate.spi.Position;
import io.tidegate.spi.Positions;
import io.tidegate.spi.Replan;
import io.tidegate.spi.SourceRecord;
import io.tidegate.spi.SplitPlan;
import io.tidegate.spi.SplitProgress;
import io.tidegate.spi.SplitState;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a write makes of a checkpoint. These rules are checked before each write and again when it is read:
 *
 * <ul>
 *   <li>I2: neither a position nor <i>done</i> goes back; a position never lies before its split's start.
 *   <li>I6: only a split that comes after nothing, or after splits that were done before this write, moves.
 *   <li>Progress and {@code after} name known splits; a plan never changes; a forgotten id is not given again at once.
 *   <li>A split is forgotten only with all that come after it.
 * </ul>
 *
 * <p>A builder is of no use any more once it has thrown.
 */
final class CheckpointBuilder {

    private final Positions positions;
    private final Map<String, SplitState> splits = new LinkedHashMap<>();
    private SourceRecord source;

    CheckpointBuilder(Checkpoint start, Positions positions) {
        this.positions = positions;
        this.source = start.source();
        start.splits().forEach(split -> splits.put(split.plan().id(), split));
    }

    /** The checkpoint after a write. Throws if the write breaks a rule. */
    static Checkpoint apply(Checkpoint before, StateWrite write, Positions positions) {
        CheckpointBuilder builder = new CheckpointBuilder(before, positions);
        builder.apply(write);
        return builder.build();
    }

    Checkpoint build() {
        return new Checkpoint(source, List.copyOf(splits.values()));
    }

    void apply(StateWrite write) {
        if (write instanceof StateWrite.Whole whole) {
            replace(whole.checkpoint());
        } else if (write instanceof StateWrite.Replanned replanned) {
            replan(replanned.replan());
        } else {
            progress((StateWrite.Progressed) write);
        }
    }

    private void replace(Checkpoint checkpoint) {
        source = checkpoint.source();
        splits.clear();
        for (SplitState split : checkpoint.splits()) {
            Check.invariant(
                    !splits.containsKey(split.plan().id()),
                    "two splits are called " + split.plan().id());
            SplitState fresh = add(split.plan());
            if (!fresh.progress().equals(split.progress())) {
                checkMayMove(split.plan());
                move(split.progress());
            }
        }
    }

    private void replan(Replan replan) {
        source = replan.source();
        splits.keySet().removeAll(replan.forget());
        for (SplitState left : splits.values()) {
            for (String before : left.plan().after()) {
                Check.invariant(
                        splits.containsKey(before),
                        "split " + before + " is forgotten but " + left.plan().id() + ", which comes after it, is not");
            }
        }
        for (SplitPlan plan : replan.add()) {
            Check.invariant(
                    !replan.forget().contains(plan.id()), "a new split has the id of a forgotten one: " + plan.id());
            add(plan);
        }
    }

    private void progress(StateWrite.Progressed write) {
        write.planned().forEach(this::add);
        for (SplitProgress progress : write.progress()) {
            checkMayMove(known(progress.id()).plan());
        }
        write.progress().forEach(this::move);
    }

    private SplitState add(SplitPlan plan) {
        @Nullable SplitState known = splits.get(plan.id());
        if (known != null) {
            Check.invariant(known.plan().equals(plan), "the plan of split " + plan.id() + " changed");
            return known;
        }
        for (String before : plan.after()) {
            Check.invariant(
                    splits.containsKey(before),
                    "split " + plan.id() + " comes after " + before + ", which is not known");
        }
        SplitState fresh = SplitState.fresh(plan);
        splits.put(plan.id(), fresh);
        return fresh;
    }

    private void checkMayMove(SplitPlan plan) {
        for (String before : plan.after()) {
            Check.invariant(
                    known(before).progress().done(),
                    "I6: split " + plan.id() + " moved before " + before + " was durably done");
        }
    }

    private void move(SplitProgress next) {
        SplitState split = known(next.id());
        Check.invariant(next.done() || !split.progress().done(), "I2: split " + next.id() + " is not done any more");
        @Nullable Position from = split.progress().position();
        @Nullable Position to = next.position();
        Check.invariant(
                from == null || (to != null && positions.compare(from, to) <= 0),
                "I2: the position of split " + next.id() + " went back");
        splits.put(next.id(), new SplitState(split.plan(), next));
    }

    private SplitState known(String id) {
        @Nullable SplitState split = splits.get(id);
        Check.invariant(split != null, "split " + id + " is not known");
        return Objects.requireNonNull(split);
    }
}
