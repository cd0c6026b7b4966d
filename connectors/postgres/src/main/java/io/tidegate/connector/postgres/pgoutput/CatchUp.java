package io.tidegate.connector.postgres.pgoutput;

import io.tidegate.connector.postgres.position.Lsn;
import io.tidegate.connector.postgres.value.TableShape;
import io.tidegate.connector.postgres.value.TextRow;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Changes of tables whose chunks were read under several snapshots (rule 8). Up to the last H, and to the place of each row
 * that was read on the way, what the target has of a row may be older or newer than the change, or missing. Belongs to the
 * thread that decodes.
 */
public final class CatchUp {

    private final IntFunction<@Nullable Lsn> points;
    private final RowLookup rows;
    private Lsn end;

    /**
     * Begins where a session begins.
     *
     * @param points by table OID: H, if the table is in this way; else null
     * @param end of catch-up as the position says that was read on from
     */
    public CatchUp(IntFunction<@Nullable Lsn> points, RowLookup rows, Lsn end) {
        this.points = points;
        this.rows = rows;
        this.end = end;
    }

    /** For logs of which no table is in catch-up. */
    public static CatchUp none() {
        return new CatchUp(
                oid -> null,
                (table, columns, key, xid) -> {
                    throw new IllegalStateException("no table is in catch-up");
                },
                Lsn.ZERO);
    }

    /** H, if the table is in this way; else null. */
    @Nullable
    Lsn point(int tableOid) {
        return points.apply(tableOid);
    }

    /** Whether a change of a table with this {@link #point}, committed there, is in catch-up. */
    boolean applies(@Nullable Lsn point, Lsn commitLsn) {
        return commitLsn.isBefore(end) || (point != null && commitLsn.isBefore(point));
    }

    /** Up to where changes are in catch-up because of rows that were read. */
    Lsn end() {
        return end;
    }

    /**
     * The new row of a change that the target may have nothing of, and that leaves values out: with the values that the row
     * has now under its new key. Null if it is not there any more.
     *
     * @param data what the tuple's offsets point into
     * @param xid of the change's transaction
     */
    @Nullable
    TextRow complete(TableShape table, byte[] data, Tuple fresh, long xid) {
        List<Integer> missing = fresh.unchanged();
        List<byte[]> key = new ArrayList<>();
        for (int column : table.schema().key()) {
            key.add(fresh.text(data, column));
        }
        RowLookup.Found found = rows.read(table, missing, key, xid);
        if (found.at().isAfter(end)) {
            end = found.at();
        }
        return found.there() ? fresh.with(missing, found.texts(), table, data) : null;
    }
}
