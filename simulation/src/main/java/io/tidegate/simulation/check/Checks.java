package io.tidegate.simulation.check;

import io.tidegate.simulation.data.SimPosition;
import io.tidegate.simulation.stage.Seen;
import io.tidegate.simulation.stage.Stage;
import io.tidegate.spi.Checkpoint;
import io.tidegate.spi.Position;
import io.tidegate.spi.SplitPlan;
import io.tidegate.spi.SplitProgress;
import io.tidegate.spi.SplitState;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What the store holds, and what follows from it for those who persist, open and acknowledge. It outlives processes. */
public final class Checks {

    private final Stage stage;
    private final Required required;
    private final Ledger ledger;
    private Checkpoint durable = Checkpoint.EMPTY;
    private final Map<String, SplitState> splits = new HashMap<>();
    /** Everything that the store ever confirmed. */
    private final Set<SplitProgress> confirmed = new HashSet<>();
    /** What the source was told last, by split. */
    private final Map<String, SplitProgress> acknowledged = new HashMap<>();
    /** A step of a birth was tried, and it is not known whether it landed. */
    private boolean stepOpen;

    private boolean writing;
    private final Held held;

    public Checks(Stage stage, Required required, Ledger ledger) {
        this.stage = stage;
        this.required = required;
        this.ledger = ledger;
        this.held = new Held(stage);
    }

    public Held held() {
        return held;
    }

    public Ledger ledger() {
        return ledger;
    }

    /** What the store confirmed last. */
    public Checkpoint durable() {
        return durable;
    }

    public @Nullable SplitState split(String id) {
        return splits.get(id);
    }

    /** The position of the log, in whichever split it is; null before there is one. */
    public @Nullable SimPosition logPosition() {
        for (SplitState split : durable.splits()) {
            if (!split.plan().lineage().isEmpty()) {
                return (SimPosition) split.progress().position();
            }
        }
        return null;
    }

    boolean requires(long number) {
        return required.requires(number);
    }

    // The store.

    /** A write begins; it may land from now on. */
    public void writes(boolean step, List<SplitProgress> progress) {
        stage.check(!writing, "I8", () -> "two writes at once");
        writing = true;
        stepOpen |= step;
        for (SplitProgress each : progress) {
            SplitState before = splits.get(each.id());
            stage.check(before != null, "I17", () -> "progress of a split whose plan is not durable: " + each);
            persists(Objects.requireNonNull(before), each);
        }
    }

    private void persists(SplitState before, SplitProgress next) {
        SplitPlan plan = before.plan();
        stage.check(forward(before.progress(), next), "I2", () -> before.progress() + " goes back to " + next);
        for (String parent : plan.after()) {
            stage.check(isDone(parent), "I6", () -> plan.id() + " moves before " + parent + " is done");
        }
        if (next.done() && required.ofSnapshot(plan)) {
            Set<Integer> missing = ledger.missing(plan.id());
            stage.check(missing.isEmpty(), "I3", () -> plan.id() + " is done without the rows " + missing);
            stage.saw(Seen.CHUNK_DONE);
        }
        if (next.position() instanceof SimPosition position) {
            required.check(durable, plan, position.at());
        }
        stage.say(() -> "persists " + next);
    }

    private static boolean forward(SplitProgress before, SplitProgress next) {
        Position from = before.position();
        Position to = next.position();
        return (next.done() || !before.done())
                && (from == null || (to != null && SimPosition.ORDER.compare(from, to) <= 0));
    }

    /** The write has ended, and it is not known whether it landed. */
    public void writeFailed() {
        writing = false;
    }

    /** The write has ended, and this is durable. */
    public void wrote(Checkpoint now) {
        writing = false;
        stepOpen = false;
        take(now);
    }

    /** The process is dead, perhaps in the middle of a write. */
    public void writerDied() {
        writing = false;
    }

    /** The store was read. */
    public void read(Checkpoint found) {
        for (SplitState before : durable.splits()) {
            SplitState after = find(found, before.plan().id());
            if (after == null) {
                stage.check(stepOpen, "I1", () -> "the store lost what it had confirmed: " + before);
            } else {
                stage.check(
                        forward(before.progress(), after.progress()),
                        "I1",
                        () -> "the store confirmed " + before.progress() + " and holds " + after.progress());
            }
        }
        stage.check(
                durable.source().isEmpty() || !found.source().isEmpty(),
                "I1",
                () -> "the store lost its record: " + durable.source());
        for (Map.Entry<String, String> entry : durable.source().entries().entrySet()) {
            stage.check(
                    stepOpen || entry.getValue().equals(found.source().get(entry.getKey())),
                    "I1",
                    () -> "the store confirmed " + entry + " and holds "
                            + found.source().get(entry.getKey()));
        }
        stepOpen = false;
        take(found);
    }

    private static @Nullable SplitState find(Checkpoint in, String id) {
        for (SplitState split : in.splits()) {
            if (split.plan().id().equals(id)) {
                return split;
            }
        }
        return null;
    }

    private void take(Checkpoint now) {
        durable = now;
        splits.clear();
        for (SplitState split : now.splits()) {
            splits.put(split.plan().id(), split);
            confirmed.add(split.progress());
        }
        required.planned(now);
    }

    // The source.

    private boolean isDone(String id) {
        SplitState split = splits.get(id);
        return split != null && split.progress().done();
    }

    /** A split is opened. */
    public void opens(SplitPlan plan, @Nullable Position from) {
        SplitState stored = splits.get(plan.id());
        stage.check(
                stored != null && stored.plan().equals(plan),
                "I17",
                () -> plan + " is opened, and the store does not hold it");
        SplitProgress progress = Objects.requireNonNull(stored).progress();
        stage.check(!progress.done(), "I6", () -> plan.id() + " is opened, and done");
        stage.check(
                Objects.equals(from, progress.position()),
                "I2",
                () -> plan.id() + " is opened from " + from + ", and the store holds " + progress.position());
        for (String parent : plan.after()) {
            stage.check(isDone(parent), "I6", () -> plan.id() + " is opened before " + parent + " is durably done");
        }
    }

    /** The source is told that this is durable. */
    public void acknowledges(SplitProgress told) {
        stage.check(confirmed.contains(told), "I1", () -> told + " is acknowledged, and the store never confirmed it");
        SplitProgress before = acknowledged.put(told.id(), told);
        stage.check(
                before == null || forward(before, told), "I2", () -> before + " was acknowledged, and then " + told);
    }

    /** The upstream is told that nothing before this place is needed. */
    public void confirms(String split, long at) {
        SplitState stored = splits.get(split);
        stage.check(
                stored != null && stored.progress().position() instanceof SimPosition held && held.at() >= at,
                "I1",
                () -> at + " of " + split + " is confirmed upstream, and the store holds "
                        + (stored == null ? "nothing" : stored.progress()));
    }
}
