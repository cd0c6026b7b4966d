package io.tidegate.formats;

import io.tidegate.spi.ByteBuilder;
import io.tidegate.spi.Change;
import io.tidegate.spi.ChangeEncoder;
import io.tidegate.spi.Op;
import io.tidegate.spi.Row;
import io.tidegate.spi.TableSchema;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The format {@code flat}: one object with {@code _op}, {@code _ts}, {@code _position}, {@code _table} and the columns
 * of the row (of a delete: those of the row before). {@code _unchanged}, {@code _json_null} and {@code _old_key} are there
 * when there is something to say. Belongs to one thread.
 *
 * <p>A column that looks like a field of ours, that is, one or more underscores before one of our words, gets one
 * underscore more. So two columns never meet, and a column's name depends on nothing but itself.
 */
public final class FlatEncoder implements ChangeEncoder {

    private static final List<String> WORDS =
            List.of("op", "ts", "position", "table", "unchanged", "old_key", "json_null");

    private static final OpTexts HEADS = new OpTexts("{\"_op\":\"", "\",\"_ts\":");
    private static final byte[] POSITION = ",\"_position\":".getBytes(StandardCharsets.US_ASCII);

    private final JsonValueWriter values = new JsonValueWriter();
    private final KeyWriter keys = new KeyWriter(values);
    private final SchemaCache<TableTexts> tables = new SchemaCache<>(FlatEncoder::texts);
    private final ByteBuilder newKey = new ByteBuilder(64);
    private final ByteBuilder oldKey = new ByteBuilder(64);

    @Override
    public void encode(Change change, ByteBuilder out) {
        TableTexts table = tables.of(change.table());
        out.put(HEADS.of(change.op()));
        out.decimal(Math.floorDiv(change.origin().committedAtMicros(), 1000L));
        out.put(POSITION);
        JsonText.string(out, change.origin().position());
        out.put(table.head);
        Row row = change.keyRow();
        if (row != null) {
            if (change.op() == Op.UPDATE && change.table().keyed()) {
                oldKey(change, row, change.before(), table, out);
            }
            values.nulls().clear();
            if (values.columns(row, change.table(), table.names, true, out)) {
                out.ascii(",\"_unchanged\":");
                JsonEncoder.unchanged(row, table.quoted, out);
            }
            values.nulls().write("_json_null", out);
        }
        out.put('}');
    }

    /** The row that was there under another key is not there any more: without this field nobody would know. */
    private void oldKey(Change change, Row row, @Nullable Row before, TableTexts table, ByteBuilder out) {
        if (before == null || !KeyWriter.whole(before, change.table())) {
            return;
        }
        newKey.clear();
        oldKey.clear();
        keys.current(change, row, table.names, newKey);
        keys.previous(change, before, table.names, oldKey);
        if (!Arrays.equals(newKey.array(), 0, newKey.length(), oldKey.array(), 0, oldKey.length())) {
            out.ascii(",\"_old_key\":").put(oldKey.array(), 0, oldKey.length());
        }
    }

    /** The name that a column has in this format. */
    static String fieldName(String column) {
        int underscores = 0;
        while (underscores < column.length() && column.charAt(underscores) == '_') {
            underscores++;
        }
        return underscores > 0 && WORDS.contains(column.substring(underscores)) ? "_" + column : column;
    }

    /** Namespace and name as one text that no other table has: a part with a dot or a quote stands in quotes. */
    static String tableName(TableSchema schema) {
        return part(schema.namespace()) + "." + part(schema.name());
    }

    private static String part(String name) {
        boolean plain = !name.isEmpty() && name.indexOf('.') < 0 && name.indexOf('"') < 0;
        return plain ? name : '"' + name.replace("\"", "\"\"") + '"';
    }

    private static TableTexts texts(TableSchema schema) {
        ByteBuilder field = new ByteBuilder(64).ascii(",\"_table\":");
        JsonText.string(field, tableName(schema));
        return new TableTexts(field.toByteArray(), schema, FlatEncoder::fieldName);
    }
}
