package io.tidegate.testkit.explore;

import io.tidegate.engine.gate.GateDigest;
import io.tidegate.engine.gate.GateWrite;
import io.tidegate.spi.SplitPlan;
import io.tidegate.spi.SplitProgress;
import io.tidegate.spi.SplitState;
import io.tidegate.testkit.explore.Script.Found;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What outlives the process: the store, what the sink has, what the upstream of each split was told that it may prune. */
final class Ground {

    private final Configuration configuration;
    /** What the store holds of each split; null: it does not know the split. */
    final @Nullable SplitProgress[] stored;
    /** The rows of each split that are durable at the sink, one bit each. */
    final long[] delivered;
    /** Everything before this place of each split may be gone upstream. */
    final int[] pruned;

    Ground(Configuration configuration) {
        this.configuration = configuration;
        stored = new @Nullable SplitProgress[configuration.size()];
        delivered = new long[configuration.size()];
        pruned = new int[configuration.size()];
    }

    Ground(Ground other) {
        configuration = other.configuration;
        stored = other.stored.clone();
        delivered = other.delivered.clone();
        pruned = other.pruned.clone();
    }

    boolean done(int split) {
        SplitProgress progress = stored[split];
        return progress != null && progress.done();
    }

    boolean doneBefore(int split) {
        for (int parent : configuration.before[split]) {
            if (!done(parent)) {
                return false;
            }
        }
        return true;
    }

    boolean deliveredWhole(int split) {
        long all = configuration.script(split).all();
        return (delivered[split] & all) == all;
    }

    boolean knows(List<SplitPlan> plans) {
        for (SplitPlan plan : plans) {
            if (stored[configuration.index(plan.id())] == null) {
                return false;
            }
        }
        return true;
    }

    /** Whether an attempt can be given up for another: none of its last splits was opened (they come after the others). */
    boolean replaceable() {
        if (configuration.replan.isEmpty() || !knows(configuration.birth)) {
            return false;
        }
        for (int i = 0; i < configuration.size(); i++) {
            Script script = configuration.script(i);
            if (script.found() == Found.AT_BIRTH && configuration.before[i].length > 0 && doneBefore(i)) {
                return false;
            }
        }
        return true;
    }

    /** Whether everything of this split has to be delivered in the end. */
    boolean wanted(int split) {
        Found found = configuration.script(split).found();
        if (configuration.replan.isEmpty()) {
            return true;
        }
        return found == (knows(configuration.replan) ? Found.BY_REPLAN : Found.AT_BIRTH);
    }

    List<SplitState> checkpoint() {
        List<SplitState> states = new ArrayList<>();
        for (int i = 0; i < stored.length; i++) {
            SplitProgress progress = stored[i];
            if (progress != null) {
                states.add(new SplitState(configuration.script(i).plan(), progress));
            }
        }
        return states;
    }

    void deliver(int split, long rows) {
        delivered[split] |= rows;
    }

    void prune(int split, SplitProgress acknowledged) {
        pruned[split] = Math.max(pruned[split], Place.items(acknowledged.position()));
    }

    /** Makes a write durable; returns what is wrong with it, or null. */
    @Nullable
    String land(StoreWrite write) {
        if (write.replan()) {
            forgetBirth();
        }
        for (SplitPlan plan : write.write().planned()) {
            int split = configuration.index(plan.id());
            SplitProgress fresh = SplitState.fresh(plan).progress();
            if (stored[split] == null) {
                stored[split] = fresh;
            } else if (!fresh.equals(stored[split])) {
                return "I17: the plan of " + plan.id() + " was written over its progress";
            }
        }
        for (SplitProgress progress : write.write().progress()) {
            int split = configuration.index(progress.id());
            SplitProgress old = stored[split];
            if (old == null) {
                return "I17: progress of " + progress.id() + " was written before its plan";
            }
            if (Place.items(progress.position()) < Place.items(old.position()) || (old.done() && !progress.done())) {
                return "I2: the store went back from " + old + " to " + progress;
            }
            stored[split] = progress;
        }
        return null;
    }

    /** Whether a write holds one of these plans but not all of them. */
    static boolean part(GateWrite write, List<SplitPlan> plans) {
        long held = plans.stream().filter(write.planned()::contains).count();
        return held > 0 && held < plans.size();
    }

    void digest(Fold fold, GateDigest digest) {
        for (int i = 0; i < stored.length; i++) {
            digest.add(stored[i]);
            fold.accept(delivered[i]);
            fold.accept(pruned[i]);
        }
    }

    private void forgetBirth() {
        for (int i = 0; i < stored.length; i++) {
            if (configuration.script(i).found() == Found.AT_BIRTH) {
                stored[i] = null;
            }
        }
    }
}
