package io.tidegate.simulation.source;

import io.tidegate.simulation.data.Cells;
import io.tidegate.simulation.data.Database;
import io.tidegate.simulation.data.LogRecord;
import io.tidegate.simulation.data.SimPosition;
import io.tidegate.simulation.stage.Feature;
import io.tidegate.simulation.stage.Seen;
import io.tidegate.simulation.stage.Stage;
import io.tidegate.spi.Checkpoint;
import io.tidegate.spi.Preparation;
import io.tidegate.spi.Replan;
import io.tidegate.spi.SplitPlan;
import io.tidegate.spi.SplitState;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Brings the source to its first row, one durable step at a time: intent, slot, point, plan. The same steps plan tables
 * anew that joined, left, or whose snapshot was interrupted: a snapshot lives as long as its session.
 */
final class LogBirth {

    private static final String LOG = "log";

    private final Stage stage;
    private final Database database;
    private final Calls calls;
    private Database.@Nullable Snapshot snapshot;
    /** The plan that the snapshot belongs to. */
    private int snapshotPlan = -1;

    LogBirth(LogSource.World world, Calls calls) {
        this.stage = world.stage();
        this.database = world.database();
        this.calls = calls;
    }

    Preparation next(Checkpoint durable, Set<Integer> wanted) {
        LogRecord record = new LogRecord(durable.source());
        if (!record.intended()) {
            stage.check(!database.hasSlot(), "I17", () -> "there is a slot, and no state of it");
            return new Preparation.Write(Replan.record(record.intend().entries()));
        }
        if (record.point() < 0) {
            return new Preparation.Write(Replan.record(record.point(slot()).entries()));
        }
        SplitState log = log(durable);
        long from = log == null ? record.point() : position(log).at();
        stage.check(database.hasSlot(), "I17", () -> "the slot is gone");
        database.indexFrom(from); // I13
        Set<Integer> due = due(durable, record, wanted);
        Set<Integer> leaving = new TreeSet<>(record.tables());
        leaving.removeAll(wanted);
        if (due.isEmpty() && leaving.isEmpty() && log != null) {
            return new Preparation.Ready(false, 1);
        }
        return new Preparation.Write(plan(durable, record, due, leaving));
    }

    /** Makes the slot; under our intent one that is there is one that a dying process made. */
    private long slot() {
        if (database.hasSlot()) {
            stage.saw(Seen.SLOT_MADE_AGAIN);
            database.dropSlot();
        }
        calls.process.pass("create slot");
        long point = database.createSlot();
        calls.process.pass("slot created");
        stage.say(() -> "makes the slot at " + point);
        return point;
    }

    private static @Nullable SplitState log(Checkpoint durable) {
        return durable.splits().stream()
                .filter(split -> split.plan().lineage().equals(LOG))
                .findFirst()
                .orElse(null);
    }

    private static SimPosition position(SplitState log) {
        return (SimPosition) Objects.requireNonNull(log.progress().position());
    }

    /** Tables that must be read: new ones, and those of which a chunk is left that another session planned. */
    private Set<Integer> due(Checkpoint durable, LogRecord record, Set<Integer> wanted) {
        Set<Integer> due = new TreeSet<>();
        for (int table : wanted) {
            if (record.table(table) == null) {
                due.add(table);
            }
        }
        for (SplitState split : durable.splits()) {
            if (split.plan().lineage().isEmpty()
                    && !split.progress().done()
                    && record.plan() != snapshotPlan
                    && wanted.contains(Chunk.of(split.plan()).table())) {
                due.add(Chunk.of(split.plan()).table());
            }
        }
        return due;
    }

    private Replan plan(Checkpoint durable, LogRecord before, Set<Integer> due, Set<Integer> leaving) {
        int number = before.plan() + 1;
        Database.Snapshot taken = database.snapshot();
        snapshot = taken;
        snapshotPlan = number;
        stage.say(() -> "takes a snapshot, H " + taken.h() + ", of tables " + due + "; leaving " + leaving);
        LogRecord record = before.plan(number);
        for (int table : leaving) {
            record = record.withoutTable(table);
            stage.saw(Seen.TABLE_LEFT);
        }
        Set<String> forget = new HashSet<>();
        List<SplitPlan> add = new ArrayList<>();
        List<String> chunks = new ArrayList<>();
        for (SplitState split : durable.splits()) {
            if (!kept(split, before, due)
                    || !keepsChunks(durable, before, Chunk.of(split.plan()).table())) {
                forget.add(split.plan().id());
            }
        }
        for (int table : due) {
            record = planTable(durable, record, new Attempt(table, number, taken), add);
        }
        add.forEach(split -> chunks.add(split.id()));
        SplitState log = log(durable);
        SimPosition start = log == null ? SimPosition.of(record.point()) : position(log);
        add.add(new SplitPlan(LOG + "." + number, chunks, start, "", LOG));
        return new Replan(record.entries(), forget, add);
    }

    private record Attempt(int table, int plan, Database.Snapshot snapshot) {}

    /** A done chunk by key is kept as long as its table is not whole. */
    private boolean kept(SplitState split, LogRecord record, Set<Integer> due) {
        if (!split.plan().lineage().isEmpty() || !split.progress().done()) {
            return false;
        }
        Chunk chunk = Chunk.of(split.plan());
        return stage.has(Feature.CATCH_UP)
                && due.contains(chunk.table())
                && record.table(chunk.table()) != null
                && chunk.kind() != Chunk.Kind.PLACES;
    }

    /** The marker that emptied a table is kept with the chunks behind it, and means nothing without them. */
    private boolean keepsChunks(Checkpoint durable, LogRecord record, int table) {
        return durable.splits().stream()
                .filter(split -> split.plan().lineage().isEmpty())
                .filter(split -> Chunk.of(split.plan()).table() == table)
                .filter(split -> Chunk.of(split.plan()).kind() == Chunk.Kind.KEYS)
                .anyMatch(split -> kept(split, record, Set.of(table)));
    }

    private LogRecord planTable(Checkpoint durable, LogRecord record, Attempt attempt, List<SplitPlan> add) {
        int table = attempt.table();
        int number = record.attempts(table) + 1;
        stage.saw(number == 1 ? Seen.SNAPSHOT_ATTEMPT : Seen.SNAPSHOT_AGAIN);
        if (record.table(table) == null && attempt.plan() > 1) {
            stage.saw(number == 1 ? Seen.TABLE_JOINED : Seen.TABLE_BACK);
        }
        List<Chunk> kept = new ArrayList<>();
        List<Chunk> left = new ArrayList<>();
        for (SplitState split : durable.splits()) {
            if (split.plan().lineage().isEmpty()) {
                Chunk chunk = Chunk.of(split.plan());
                if (chunk.table() == table && chunk.kind() != Chunk.Kind.EMPTY) {
                    (kept(split, record, Set.of(table)) ? kept : left).add(chunk);
                }
            }
        }
        boolean catchUp = !kept.isEmpty();
        kept.forEach(chunk -> stage.saw(Seen.DONE_CHUNK_KEPT));
        List<Chunk> chunks = catchUp ? left : Chunk.cut(table, rows(attempt.snapshot(), table), stage);
        List<String> after = List.of();
        if (number > 1 && !catchUp) {
            Chunk emptied = Chunk.truncate(table);
            SplitPlan marker = emptied.plan("t" + table + ".empty." + attempt.plan(), List.of(), number);
            add.add(marker);
            after = List.of(marker.id());
        }
        int i = 0;
        for (Chunk chunk : chunks) {
            add.add(chunk.plan("t" + table + "." + i++ + "." + attempt.plan(), after, number));
        }
        return record.table(
                table, new LogRecord.Entry(number, attempt.snapshot().h(), catchUp));
    }

    private static NavigableMap<Integer, Cells> rows(Database.Snapshot snapshot, int table) {
        return Objects.requireNonNull(snapshot.tables().get(table));
    }

    /** What a chunk of this session's snapshot has. */
    ChunkReader.Opening chunk(SplitPlan plan) {
        Chunk chunk = Chunk.of(plan);
        Database.Snapshot taken = snapshot;
        if (taken == null) {
            throw stage.violate("I2", plan.id() + " is opened, and its snapshot is of another session");
        }
        NavigableMap<Integer, Cells> rows = chunk.rows(rows(taken, chunk.table()));
        return new ChunkReader.Opening(plan.id(), chunk, rows, taken.h());
    }
}
