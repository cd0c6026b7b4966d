package io.tidegate.formats;

import io.tidegate.spi.ByteBuilder;
import io.tidegate.spi.Change;
import io.tidegate.spi.ChangeEncoder;
import io.tidegate.spi.ColumnState;
import io.tidegate.spi.Row;
import io.tidegate.spi.TableSchema;
import org.jspecify.annotations.Nullable;

/**
 * The format {@code json}: {@code {"op","ts","source","key","before","after"}} in this order, and {@code "unchanged"}
 * where columns kept a value that the log does not carry. Columns that a row does not have are left out, so null, absent
 * and unchanged stay three things (I16). Belongs to one thread.
 */
public final class JsonEncoder implements ChangeEncoder {

    private final JsonValueWriter values = new JsonValueWriter();
    private final KeyWriter keys = new KeyWriter(values);
    private final SchemaCache<Table> tables = new SchemaCache<>(Table::of);

    @Override
    public void encode(Change change, ByteBuilder out) {
        Table table = tables.of(change.table());
        out.ascii("{\"op\":\"").ascii(change.op().code()).ascii("\",\"ts\":");
        JsonText.number(out, Math.floorDiv(change.origin().committedAtMicros(), 1000L));
        out.put(table.source, 0, table.source.length);
        values.fields(change.origin(), out);
        out.ascii("},\"key\":");
        Row keyRow = change.keyRow();
        if (keyRow == null || !change.table().keyed()) {
            out.ascii("null");
        } else {
            keys.current(change, keyRow, table.names, out);
        }
        out.ascii(",\"before\":");
        row(change.before(), change.table(), table, out);
        out.ascii(",\"after\":");
        Row after = change.after();
        if (row(after, change.table(), table, out) && after != null) {
            out.ascii(",\"unchanged\":");
            unchanged(after, table.quoted, out);
        }
        out.put('}');
    }

    private boolean row(@Nullable Row row, TableSchema schema, Table table, ByteBuilder out) {
        if (row == null) {
            out.ascii("null");
            return false;
        }
        out.put('{');
        boolean unchanged = values.columns(row, schema, table.names, false, out);
        out.put('}');
        return unchanged;
    }

    /** Appends the list of the columns whose value the log does not carry. */
    static void unchanged(Row row, byte[][] quoted, ByteBuilder out) {
        char separator = '[';
        for (int i = 0; i < quoted.length; i++) {
            if (row.state(i) == ColumnState.UNCHANGED) {
                out.put(separator).put(quoted[i], 0, quoted[i].length);
                separator = ',';
            }
        }
        out.put(']');
    }

    /** A table's texts: the beginning of the source block, the column names as strings, and these with a colon. */
    private record Table(byte[] source, byte[][] quoted, byte[][] names) {

        static Table of(TableSchema schema) {
            ByteBuilder source = new ByteBuilder(64).ascii(",\"source\":{\"schema\":");
            JsonText.string(source, schema.namespace());
            source.ascii(",\"table\":");
            JsonText.string(source, schema.name());
            int count = schema.columns().size();
            byte[][] quoted = new byte[count][];
            byte[][] names = new byte[count][];
            ByteBuilder name = new ByteBuilder(64);
            for (int i = 0; i < count; i++) {
                name.clear();
                JsonText.string(name, schema.columns().get(i).name());
                quoted[i] = name.toByteArray();
                names[i] = name.put(':').toByteArray();
            }
            return new Table(source.toByteArray(), quoted, names);
        }
    }
}
