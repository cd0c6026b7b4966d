package io.tidegate.formats;

import io.tidegate.spi.ByteBuilder;
import io.tidegate.spi.Change;
import io.tidegate.spi.ChangeEncoder;
import io.tidegate.spi.ColumnState;
import io.tidegate.spi.Row;
import io.tidegate.spi.TableSchema;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The format {@code json}: {@code {"op","ts","source","key","before","after"}} in this order, and {@code "unchanged"}
 * where columns kept a value that the log does not carry, {@code "json_null"} where JSON's null is the value. Columns that
 * a row does not have are left out, so null, absent and unchanged stay three things (I16). Belongs to one thread.
 */
public final class JsonEncoder implements ChangeEncoder {

    private static final byte[] BEFORE = "\"before\"".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] AFTER = "\"after\"".getBytes(StandardCharsets.US_ASCII);

    private static final OpTexts HEADS = new OpTexts("{\"op\":\"", "\",\"ts\":");
    private static final byte[] KEY_FIELD = "},\"key\":".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] BEFORE_FIELD = ",\"before\":".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] AFTER_FIELD = ",\"after\":".getBytes(StandardCharsets.US_ASCII);

    private final JsonValueWriter values = new JsonValueWriter();
    private final KeyWriter keys = new KeyWriter(values);
    private final SchemaCache<TableTexts> tables = new SchemaCache<>(JsonEncoder::texts);

    @Override
    public void encode(Change change, ByteBuilder out) {
        TableTexts table = tables.of(change.table());
        out.put(HEADS.of(change.op()));
        out.decimal(Math.floorDiv(change.origin().committedAtMicros(), 1000L));
        out.put(table.head);
        values.fields(change.origin(), out);
        out.put(KEY_FIELD);
        Row keyRow = change.keyRow();
        if (keyRow == null || !change.table().keyed()) {
            out.put(JsonText.NULL);
        } else {
            keys.current(change, keyRow, table.names, out);
        }
        values.nulls().clear();
        out.put(BEFORE_FIELD);
        values.nulls().row(BEFORE);
        row(change.before(), change.table(), table, out);
        out.put(AFTER_FIELD);
        values.nulls().row(AFTER);
        Row after = change.after();
        if (row(after, change.table(), table, out) && after != null) {
            out.ascii(",\"unchanged\":");
            unchanged(after, table.quoted, out);
        }
        values.nulls().write("json_null", out);
        out.put('}');
    }

    private boolean row(@Nullable Row row, TableSchema schema, TableTexts table, ByteBuilder out) {
        if (row == null) {
            out.put(JsonText.NULL);
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
                out.put(separator).put(quoted[i]);
                separator = ',';
            }
        }
        out.put(']');
    }

    private static TableTexts texts(TableSchema schema) {
        ByteBuilder source = new ByteBuilder(64).ascii(",\"source\":{\"schema\":");
        JsonText.string(source, schema.namespace());
        source.ascii(",\"table\":");
        JsonText.string(source, schema.name());
        return new TableTexts(source.toByteArray(), schema, column -> column);
    }
}
