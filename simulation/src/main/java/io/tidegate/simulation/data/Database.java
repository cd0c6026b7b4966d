package io.tidegate.simulation.data;

import io.tidegate.simulation.stage.Feature;
import io.tidegate.simulation.stage.Seen;
import io.tidegate.simulation.stage.Stage;
import io.tidegate.spi.Op;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Tables with one log of committed transactions, and one slot that says how much of it is kept. */
public final class Database {

    /** So that positions soon have more digits. */
    private static final long FIRST = 900;

    private final Stage stage;
    private final List<NavigableMap<Integer, Cells>> tables = new ArrayList<>();
    private final List<Transaction> log = new ArrayList<>();
    private final List<LogChange> changes = new ArrayList<>();
    private long end = FIRST;
    private boolean slot;
    private long confirmed;

    /** Rows as they were at a place in the log. Everything that was committed before H is in them, and nothing else. */
    public record Snapshot(long h, Map<Integer, NavigableMap<Integer, Cells>> tables) {}

    /** A row as it is now, and a place behind everything that reading it could see. */
    public record Found(@Nullable Cells cells, long at) {}

    public Database(Stage stage) {
        this.stage = stage;
        for (int i = 0; i < Tables.COUNT; i++) {
            tables.add(new TreeMap<>());
        }
    }

    // The application.

    public NavigableMap<Integer, Cells> rows(int table) {
        return tables.get(table);
    }

    /** Commits one transaction. */
    public void commit(Writing writing) {
        if (writing.pending.isEmpty()) {
            return;
        }
        boolean equal = stage.has(Feature.EQUAL_POSITIONS) && stage.work().flip();
        long commitAt = equal ? end : end + 1 + stage.work().below(5);
        long endAt = commitAt + 2 + stage.work().below(20);
        if (equal && !log.isEmpty() && log.get(log.size() - 1).endAt() == commitAt) {
            stage.saw(Seen.POSITIONS_EQUAL);
        }
        List<LogChange> placed = new ArrayList<>();
        for (LogChange each : writing.pending) {
            placed.add(new LogChange(
                    each.number(), each.op(), each.table(), each.oldKey(), each.key(), each.big(), commitAt, endAt));
        }
        log.add(new Transaction(commitAt, endAt, List.copyOf(placed)));
        changes.addAll(placed);
        end = endAt;
        stage.say(() -> "commits at " + commitAt + ".." + endAt + " " + placed);
    }

    /** The log grows by what is none of ours. */
    public void grow() {
        end += 1 + stage.work().below(30);
    }

    /** A transaction that is being written; its changes show at once, and are in the log when it is committed. */
    public final class Writing {

        private final List<LogChange> pending = new ArrayList<>();

        private long next() {
            return changes.size() + pending.size() + 1L;
        }

        public void insert(int table, int key) {
            long number = next();
            rows(table).put(key, new Cells(number, number, freeSlot(table)));
            add(number, Op.CREATE, table, key, key, number);
        }

        public void update(int table, int oldKey, int key, boolean unchanged) {
            long number = next();
            Cells before = rows(table).remove(oldKey);
            if (before == null) {
                throw new IllegalArgumentException("no such row");
            }
            long big = unchanged ? before.big() : number;
            rows(table).put(key, new Cells(number, big, freeSlot(table)));
            if (unchanged) {
                stage.saw(Seen.COLUMN_UNCHANGED);
            }
            if (oldKey != key) {
                stage.saw(Seen.KEY_MOVED);
            }
            add(number, Op.UPDATE, table, oldKey, key, unchanged ? LogChange.UNCHANGED : big);
        }

        public void delete(int table, int key) {
            rows(table).remove(key);
            add(next(), Op.DELETE, table, key, key, 0);
        }

        public void truncate(int table) {
            stage.saw(Seen.TRUNCATED);
            rows(table).clear();
            add(next(), Op.TRUNCATE, table, -1, -1, 0);
        }

        private void add(long number, Op op, int table, int oldKey, int key, long big) {
            pending.add(new LogChange(number, op, table, oldKey, key, big, 0, 0));
        }
    }

    /** The lowest place that no row has: so rows that are written move towards the front, as after a vacuum. */
    private int freeSlot(int table) {
        int slot = 0;
        while (taken(table, slot)) {
            slot++;
        }
        return slot;
    }

    private boolean taken(int table, int slot) {
        return rows(table).values().stream().anyMatch(cells -> cells.slot() == slot);
    }

    // The server.

    public long end() {
        return end;
    }

    public List<Transaction> log() {
        return log;
    }

    /** All changes, in commit order; the one with number n has index n - 1. */
    public List<LogChange> changes() {
        return changes;
    }

    public Snapshot snapshot() {
        Map<Integer, NavigableMap<Integer, Cells>> copy = new HashMap<>();
        for (int i = 0; i < Tables.COUNT; i++) {
            copy.put(i, new TreeMap<>(tables.get(i)));
        }
        return new Snapshot(end, copy);
    }

    public Found read(int table, int key) {
        return new Found(rows(table).get(key), end);
    }

    public boolean hasSlot() {
        return slot;
    }

    public void dropSlot() {
        slot = false;
    }

    /** Returns its consistent point. */
    public long createSlot() {
        stage.check(!slot, "I17", () -> "a slot is made and there is one");
        slot = true;
        confirmed = end;
        return end;
    }

    /** What of the log may be gone. */
    public long confirmed() {
        return confirmed;
    }

    /** Everything before this is not needed any more; one that lies back is ignored, as servers do. */
    public void confirm(long at) {
        if (at > confirmed) {
            confirmed = at;
            if (stage.has(Feature.PRUNING)) {
                stage.saw(Seen.PRUNED);
            }
        }
    }

    /** The index of the first transaction behind a position, which may be one that was pruned: that is a gap. */
    public int indexFrom(long at) {
        stage.check(
                !stage.has(Feature.PRUNING) || at >= confirmed,
                "I3",
                () -> "the source is asked for " + at + ", and pruned up to " + confirmed);
        int low = 0;
        int high = log.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (log.get(middle).commitAt() >= at) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }

    /** Whether a position lies inside of a transaction. */
    public boolean inside(long at) {
        for (int i = log.size() - 1; i >= 0 && log.get(i).endAt() > at; i--) {
            if (log.get(i).commitAt() < at) {
                return true;
            }
        }
        return false;
    }
}
