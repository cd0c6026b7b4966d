package io.tidegate.simulation.check;

import io.tidegate.simulation.data.Database;
import io.tidegate.simulation.data.LogChange;
import io.tidegate.simulation.data.LogRecord;
import io.tidegate.simulation.data.Tables;
import io.tidegate.simulation.data.Transaction;
import io.tidegate.simulation.stage.Stage;
import io.tidegate.spi.Checkpoint;
import io.tidegate.spi.SourceRecord;
import io.tidegate.spi.SplitPlan;
import java.util.HashMap;
import java.util.Map;

/** The rule of a log: all transactions before the position, as far as the record says that the log gives them. */
public final class LogRequired implements Required {

    private final Stage stage;
    private final Database database;
    private final Ledger ledger;
    private int checked;
    private long checkedTo = -1;
    /** By table, H of its oldest snapshot that the target still has rows of; nothing before it is needed. */
    private final Map<Integer, Long> oldestH = new HashMap<>();

    private LogRecord record = new LogRecord(SourceRecord.EMPTY);

    public LogRequired(Stage stage, Database database, Ledger ledger) {
        this.stage = stage;
        this.database = database;
        this.ledger = ledger;
    }

    @Override
    public boolean ofSnapshot(SplitPlan plan) {
        return plan.lineage().isEmpty();
    }

    @Override
    public void planned(Checkpoint durable) {
        record = new LogRecord(durable.source());
        for (int table = 0; table < Tables.COUNT; table++) {
            LogRecord.Entry entry = record.table(table);
            if (entry == null) {
                oldestH.remove(table);
            } else if (!entry.catchUp()) {
                oldestH.put(table, entry.h());
            }
        }
        long point = record.point();
        if (checkedTo < 0 && point >= 0) {
            checkedTo = point;
            while (checked < database.log().size()
                    && database.log().get(checked).commitAt() < point) {
                checked++;
            }
        }
    }

    @Override
    public boolean requires(long number) {
        return requires(database.changes().get((int) number - 1));
    }

    private boolean requires(LogChange change) {
        return record.gives(change) && change.commitAt() >= oldestH.getOrDefault(change.table(), 0L);
    }

    @Override
    public void check(Checkpoint durable, SplitPlan plan, long at) {
        stage.check(!database.inside(at), "I5", () -> at + " is persisted, and lies inside of a transaction");
        stage.check(at <= database.end(), "I3", () -> at + " is persisted, and the log ends at " + database.end());
        while (checked < database.log().size() && database.log().get(checked).commitAt() < at) {
            Transaction transaction = database.log().get(checked++);
            for (LogChange change : transaction.changes()) {
                stage.check(
                        !requires(change) || ledger.landed(change.number()) > 0,
                        "I3",
                        () -> at + " is persisted, and change " + change + " at " + change.commitAt()
                                + " is not delivered");
            }
        }
    }
}
