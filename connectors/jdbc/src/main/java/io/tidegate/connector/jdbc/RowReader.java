package io.tidegate.connector.jdbc;

import io.tidegate.connector.jdbc.RowChange.Kind;
import io.tidegate.connector.jdbc.RowChange.Tracked;
import io.tidegate.spi.Change;
import io.tidegate.spi.ColumnState;
import io.tidegate.spi.Op;
import io.tidegate.spi.Row;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Makes row changes of changes. Throws {@link io.tidegate.spi.RejectedException} for a value that the target cannot hold. */
final class RowReader {

    private final CellEncoder cells;

    RowReader(CellStyle style) {
        this.cells = new CellEncoder(style);
    }

    /** What an insert, update, delete or snapshot read does to its row. */
    RowChange read(Tracked tracked, TargetTable table) {
        Change change = tracked.change();
        if (change.op() == Op.DELETE) {
            Object[] key = key(tracked, table, change.before());
            return new RowChange(tracked, table, Kind.REMOVE, key, key, new Object[0]);
        }
        Row after = change.after();
        if (after == null) {
            throw tracked.rejected("it has no new row");
        }
        Object[] image = image(tracked, table, after);
        Object[] oldKey = oldKey(tracked, table, change.before());
        Object[] key = new Object[table.key().size()];
        for (int i = 0; i < key.length; i++) {
            int column = table.key().get(i);
            if (image[column] == RowChange.UNKNOWN && oldKey != null) {
                image[column] = oldKey[i];
            }
            key[i] = keyCell(tracked, table, column, image[column]);
        }
        if (oldKey == null) {
            oldKey = key;
        }
        boolean partial = (change.op() == Op.UPDATE && Arrays.asList(image).contains(RowChange.UNKNOWN))
                || unchanged(after, image.length);
        Kind kind = !Arrays.deepEquals(key, oldKey) ? Kind.REKEY : partial ? Kind.PATCH : Kind.PUT;
        return new RowChange(tracked, table, kind, key, oldKey, image);
    }

    /** Whatever the change is called: a row with values that the log does not hold is never inserted. */
    private static boolean unchanged(Row row, int columns) {
        for (int i = 0; i < columns; i++) {
            if (row.state(i) == ColumnState.UNCHANGED) {
                return true;
            }
        }
        return false;
    }

    private Object[] image(Tracked tracked, TargetTable table, Row row) {
        Object[] image = new Object[table.columns().size()];
        for (int i = 0; i < image.length; i++) {
            image[i] = cell(tracked, table, row, i);
        }
        return image;
    }

    /** The key that the old row names, if there is one. */
    private Object @Nullable [] oldKey(Tracked tracked, TargetTable table, @Nullable Row before) {
        if (before == null || table.key().stream().anyMatch(i -> before.state(i) != ColumnState.VALUE)) {
            return null;
        }
        return key(tracked, table, before);
    }

    private Object[] key(Tracked tracked, TargetTable table, @Nullable Row row) {
        if (row == null) {
            throw tracked.rejected(
                    "it does not say which row of " + table.name().display() + " it means");
        }
        List<Integer> columns = table.key();
        Object[] key = new Object[columns.size()];
        for (int i = 0; i < key.length; i++) {
            key[i] = keyCell(tracked, table, columns.get(i), cell(tracked, table, row, columns.get(i)));
        }
        return key;
    }

    private static Object keyCell(Tracked tracked, TargetTable table, int column, @Nullable Object cell) {
        if (cell == null || cell == RowChange.UNKNOWN) {
            throw tracked.rejected("it has no value for the key column "
                    + table.columns().get(column).name() + " of " + table.name().display());
        }
        return cell;
    }

    private @Nullable Object cell(Tracked tracked, TargetTable table, Row row, int column) {
        TargetColumn target = table.columns().get(column);
        try {
            return cells.encode(row, column, target);
        } catch (ValueRefusedException e) {
            throw tracked.rejected("the column " + target.name() + " of the table "
                    + table.name().display() + " cannot hold the value: " + e.reason());
        }
    }
}
