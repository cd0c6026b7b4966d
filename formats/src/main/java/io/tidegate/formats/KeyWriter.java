package io.tidegate.formats;

import io.tidegate.spi.ByteBuilder;
import io.tidegate.spi.Change;
import io.tidegate.spi.ColumnState;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.Row;
import io.tidegate.spi.TableSchema;
import io.tidegate.spi.TidegateException;
import org.jspecify.annotations.Nullable;

/** Writes the columns of a key as a JSON object, in key order. A key that is not whole is refused. */
final class KeyWriter {

    private final JsonValueWriter values;

    KeyWriter(JsonValueWriter values) {
        this.values = values;
    }

    /** Appends the key of the row that a change leaves or removes. */
    void current(Change change, Row row, byte[][] names, ByteBuilder out) {
        write(change.table(), row, change.before(), names, out);
    }

    /** Appends the key that a row had before. */
    void previous(Change change, Row before, byte[][] names, ByteBuilder out) {
        write(change.table(), before, null, names, out);
    }

    /** Whether the row holds each column of the key. */
    static boolean whole(Row row, TableSchema table) {
        for (int column : table.key()) {
            if (!holds(row, column)) {
                return false;
            }
        }
        return true;
    }

    private void write(TableSchema table, Row row, @Nullable Row former, byte[][] names, ByteBuilder out) {
        out.put('{');
        for (int i = 0; i < table.key().size(); i++) {
            int column = table.key().get(i);
            if (i > 0) {
                out.put(',');
            }
            out.put(names[column]);
            // A value that was not logged because it did not change stands in the row before, if anywhere.
            Row holder = row.state(column) == ColumnState.UNCHANGED && former != null ? former : row;
            if (!holds(holder, column)) {
                throw new TidegateException(
                        ErrorCode.VALUE_UNREADABLE,
                        "the log does not hold column "
                                + table.columns().get(column).name() + " of the key of " + table.display());
            }
            if (holder.state(column) == ColumnState.NULL) {
                out.put(JsonText.NULL);
            } else {
                values.value(holder, table, column, out);
            }
        }
        out.put('}');
    }

    private static boolean holds(Row row, int column) {
        return switch (row.state(column)) {
            case VALUE, NULL -> true;
            case UNCHANGED, ABSENT -> false;
        };
    }
}
