package io.tidegate.connector.postgres.birth;

import io.tidegate.connector.postgres.birth.TableRecord.Way;
import io.tidegate.connector.postgres.position.Lsn;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What the reader of the log does with each table, by OID. Immutable; any thread. */
public final class LogTables {

    private final Map<Long, TableRecord> tables;

    LogTables(Map<Long, TableRecord> tables) {
        this.tables = Map.copyOf(tables);
    }

    /** Whether changes of the table are given at all. */
    public boolean captured(long oid) {
        TableRecord table = tables.get(oid);
        return table != null && !table.isLost();
    }

    /** H, if changes of commits before it are left out; else null. */
    public @Nullable Lsn skipPoint(long oid) {
        return point(oid, Way.SKIP);
    }

    /** H, if changes of commits before it are in catch-up; else null. */
    public @Nullable Lsn catchUpPoint(long oid) {
        return point(oid, Way.CATCH_UP);
    }

    private @Nullable Lsn point(long oid, Way way) {
        TableRecord table = tables.get(oid);
        return table == null || table.way() != way ? null : table.point();
    }
}
