package io.tidegate.simulation.life;

import io.tidegate.simulation.check.Checks;
import io.tidegate.simulation.check.Ledger;
import io.tidegate.simulation.check.Lines;
import io.tidegate.simulation.check.LogRequired;
import io.tidegate.simulation.check.Required;
import io.tidegate.simulation.data.Cells;
import io.tidegate.simulation.data.Database;
import io.tidegate.simulation.data.LogChange;
import io.tidegate.simulation.data.LogRecord;
import io.tidegate.simulation.data.SimPosition;
import io.tidegate.simulation.data.Tables;
import io.tidegate.simulation.sink.TargetDatabase;
import io.tidegate.simulation.source.LogSource;
import io.tidegate.simulation.stage.Feature;
import io.tidegate.simulation.stage.Life;
import io.tidegate.simulation.stage.Stage;
import io.tidegate.spi.Source;
import io.tidegate.spi.SplitState;
import io.tidegate.testkit.property.Choices;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Tables with a log. */
final class LogUpstream implements Upstream {

    private static final int KEYS = 8;
    private static final int LONG_CHANGES = 14;
    private static final int ROWS_BEFORE = 7;

    private final Stage stage;
    private final Choices work;
    private final Database database;
    private Set<Integer> tables;

    LogUpstream(Stage stage) {
        this.stage = stage;
        this.work = stage.work();
        this.database = new Database(stage);
        this.tables = stage.has(Feature.TABLE_CHANGES) ? Set.of(0, 1) : Set.of(0, 1, 2);
        Database.Writing rows = database.new Writing();
        for (int table = 0; table < Tables.COUNT; table++) {
            int count = work.below(ROWS_BEFORE + 1);
            for (int key = 0; key < count; key++) {
                rows.insert(table, key);
            }
        }
        database.commit(rows);
    }

    @Override
    public Required required(Ledger ledger) {
        return new LogRequired(stage, database, ledger);
    }

    @Override
    public Source source(Checks checks, Life process) {
        return new LogSource(new LogSource.World(stage, database, checks, () -> tables), process);
    }

    @Override
    public void write() {
        if (stage.has(Feature.KEEPALIVES) && work.below(6) == 0) {
            database.grow();
            return;
        }
        int changes = stage.has(Feature.LONG_TRANSACTIONS) && work.below(6) == 0
                ? 1 + work.below(LONG_CHANGES)
                : 1 + work.below(3);
        Database.Writing writing = database.new Writing();
        for (int i = 0; i < changes; i++) {
            change(writing, work.below(Tables.COUNT));
        }
        database.commit(writing);
    }

    private void change(Database.Writing writing, int table) {
        NavigableMap<Integer, Cells> rows = database.rows(table);
        List<Integer> there = List.copyOf(rows.keySet());
        int kind = work.weighted(5, 6, 3, 4, 1);
        boolean unchanged = stage.has(Feature.UNCHANGED_COLUMNS) && work.flip();
        if (kind == 0 || there.isEmpty()) {
            int key = work.below(KEYS);
            if (rows.containsKey(key)) {
                writing.update(table, key, key, unchanged);
            } else {
                writing.insert(table, key);
            }
            return;
        }
        int key = work.pick(there);
        int free = work.below(KEYS);
        if (kind == 2) {
            writing.delete(table, key);
        } else if (kind == 3 && stage.has(Feature.KEY_MOVES) && !rows.containsKey(free)) {
            writing.update(table, key, free, unchanged);
        } else if (kind == 4 && stage.has(Feature.TRUNCATES) && work.flip()) {
            writing.truncate(table);
        } else {
            writing.update(table, key, key, unchanged);
        }
    }

    @Override
    public void reconfigure() {
        if (!stage.has(Feature.TABLE_CHANGES)) {
            return;
        }
        Set<Integer> others = new TreeSet<>(tables);
        int table = stage.luck().below(Tables.COUNT);
        if (!others.remove(table)) {
            others.add(table);
        }
        if (!others.isEmpty()) {
            tables = Set.copyOf(others);
            stage.say(() -> "the tables are now " + others);
        }
    }

    @Override
    public String behind(Checks checks) {
        LogRecord record = new LogRecord(checks.durable().source());
        if (!Set.copyOf(record.tables()).equals(tables)) {
            return "tables " + record.tables() + " are planned";
        }
        for (SplitState split : checks.durable().splits()) {
            if (split.plan().lineage().isEmpty() && !split.progress().done()) {
                return split.plan().id() + " is not done";
            }
        }
        SimPosition position = checks.logPosition();
        long end = database.log().isEmpty()
                ? 0
                : database.log().get(database.log().size() - 1).endAt();
        if (position == null || position.at() < end) {
            return "the log is persisted up to " + position + " of " + end;
        }
        return database.confirmed() == position.at()
                ? ""
                : "the log is persisted up to " + position + ", and " + database.confirmed() + " is confirmed";
    }

    @Override
    public void compareRows(Checks checks, TargetDatabase target) {
        for (int table : tables) {
            Map<Integer, Cells> source = database.rows(table);
            Map<Integer, Cells> there = target.rows(table);
            boolean same = source.keySet().equals(there.keySet())
                    && source.entrySet().stream()
                            .allMatch(row -> row.getValue().same(Objects.requireNonNull(there.get(row.getKey()))));
            stage.check(same, "I3", () -> "table " + table + " is " + source + ", and at the target " + there);
        }
    }

    @Override
    public void compareLines(Checks checks, Lines lines) {
        LogRecord record = new LogRecord(checks.durable().source());
        for (LogChange change : database.changes()) {
            LogRecord.Entry entry = record.table(change.table());
            stage.check(
                    entry == null || change.commitAt() < entry.h() || lines.has(change.number()),
                    "I3",
                    () -> "change " + change + " is not in the log of the target");
        }
        for (int table : tables) {
            LogRecord.Entry entry = Objects.requireNonNull(record.table(table));
            Map<Integer, Long> source = new TreeMap<>();
            database.rows(table).forEach((key, cells) -> source.put(key, cells.value()));
            Map<Integer, Long> there = lines.replay(table);
            // In catch-up a line can stand for nothing: only a target with rows can tell.
            stage.check(
                    entry.catchUp() || source.equals(there),
                    "I3",
                    () -> "table " + table + " is " + source + ", and the target's log amounts to " + there);
        }
    }
}
