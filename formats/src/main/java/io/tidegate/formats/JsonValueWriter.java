package io.tidegate.formats;

import io.tidegate.spi.ByteBuilder;
import io.tidegate.spi.ColumnState;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.LogicalType;
import io.tidegate.spi.Origin;
import io.tidegate.spi.Row;
import io.tidegate.spi.TableSchema;
import io.tidegate.spi.TidegateException;
import io.tidegate.spi.ValueVisitor;
import java.util.HashMap;
import java.util.Map;

/**
 * Writes values as JSON straight from the row's calls: 64-bit integers and floats as numbers, decimals, times, uuids and
 * the names of infinities as strings, bytes as base64, JSON as JSON. Belongs to one thread.
 */
final class JsonValueWriter implements ValueVisitor, Origin.FieldVisitor {

    private final JsonNulls nulls = new JsonNulls();
    /** Names of an origin's fields, which are few, as they are written. */
    private final Map<String, byte[]> fieldNames = new HashMap<>();

    private ByteBuilder out = new ByteBuilder(0);

    /** Where JSON's null stands in the columns of rows that were written. */
    JsonNulls nulls() {
        return nulls;
    }

    /** Appends the value of a column in state VALUE as a part of a key. */
    void value(Row row, TableSchema table, int column, ByteBuilder to) {
        value(row, table, column, JsonNulls.NOWHERE, to);
    }

    private void value(Row row, TableSchema table, int column, byte[] name, ByteBuilder to) {
        nulls.column(name);
        out = to;
        long before = to.written();
        row.visit(column, this);
        if (nulls.depth() != 0 || to.written() <= before) {
            throw new TidegateException(
                    ErrorCode.INTERNAL,
                    "I16: column " + column + " of " + table.display() + " was not visited by one balanced value");
        }
    }

    /** Appends {@code name:value} for each column that the row holds, and says whether any is unchanged. */
    boolean columns(Row row, TableSchema table, byte[][] names, boolean separatorFirst, ByteBuilder to) {
        boolean separator = separatorFirst;
        boolean unchanged = false;
        for (int i = 0; i < names.length; i++) {
            ColumnState state = row.state(i);
            switch (state) {
                case VALUE, NULL -> {
                    if (separator) {
                        to.put(',');
                    }
                    separator = true;
                    to.put(names[i]);
                    if (state == ColumnState.NULL) {
                        to.put(JsonText.NULL);
                    } else {
                        value(row, table, i, names[i], to);
                    }
                }
                case UNCHANGED -> unchanged = true;
                case ABSENT -> {}
            }
        }
        return unchanged;
    }

    /** Appends the fields that an origin gives, each after a comma. */
    void fields(Origin origin, ByteBuilder to) {
        out = to;
        origin.describe(this);
    }

    @Override
    public void text(String name, String value) {
        fieldName(name);
        JsonText.string(out, value);
    }

    @Override
    public void number(String name, long value) {
        fieldName(name);
        out.decimal(value);
    }

    @Override
    public void bool(String name, boolean value) {
        fieldName(name);
        out.put(value ? JsonText.TRUE : JsonText.FALSE);
    }

    private void fieldName(String name) {
        byte[] text = fieldNames.get(name);
        if (text == null) {
            ByteBuilder fresh = new ByteBuilder(32).put(',');
            JsonText.string(fresh, name);
            text = fresh.put(':').toByteArray();
            fieldNames.put(name, text);
        }
        out.put(text);
    }

    @Override
    public void nullElement() {
        element();
        out.put(JsonText.NULL);
    }

    @Override
    public void bool(boolean value) {
        element();
        out.put(value ? JsonText.TRUE : JsonText.FALSE);
    }

    @Override
    public void int64(long value) {
        element();
        out.decimal(value);
    }

    @Override
    public void decimal(byte[] ascii, int from, int length) {
        element();
        JsonText.string(out, ascii, from, length);
    }

    @Override
    public void floating(byte[] ascii, int from, int length) {
        element();
        byte last = ascii[from + length - 1];
        if (last >= '0' && last <= '9') {
            out.put(ascii, from, length);
        } else {
            JsonText.string(out, ascii, from, length);
        }
    }

    @Override
    public void string(byte[] utf8, int from, int length) {
        element();
        JsonText.string(out, utf8, from, length);
    }

    @Override
    public void bytes(byte[] raw, int from, int length) {
        element();
        JsonText.base64(out, raw, from, length);
    }

    @Override
    public void json(byte[] utf8, int from, int length) {
        element();
        JsonText.json(out, utf8, from, length);
        nulls.see(utf8, from, length);
    }

    @Override
    public void text(LogicalType type, byte[] ascii, int from, int length) {
        element();
        JsonText.string(out, ascii, from, length);
    }

    @Override
    public void other(byte[] utf8, int from, int length) {
        element();
        JsonText.string(out, utf8, from, length);
    }

    @Override
    public void beginArray() {
        element();
        out.put('[');
        nulls.beginArray();
    }

    @Override
    public void endArray() {
        out.put(']');
        nulls.endArray();
    }

    private void element() {
        if (nulls.next()) {
            out.put(',');
        }
    }
}
