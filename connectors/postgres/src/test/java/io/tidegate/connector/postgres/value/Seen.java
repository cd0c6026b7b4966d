package io.tidegate.connector.postgres.value;

import io.tidegate.spi.ColumnState;
import io.tidegate.spi.LogicalType;
import io.tidegate.spi.Row;
import io.tidegate.spi.ValueVisitor;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/** Writes down the calls that a visitor gets, one text for one value. */
public final class Seen implements ValueVisitor {

    private final StringBuilder text = new StringBuilder();

    /** A column's calls, or its state if it has no value. */
    public static String of(Row row, int column) {
        if (row.state(column) != ColumnState.VALUE) {
            return row.state(column).toString();
        }
        Seen seen = new Seen();
        row.visit(column, seen);
        return seen.toString();
    }

    private void add(String call) {
        if (text.length() > 0 && text.charAt(text.length() - 1) != '[') {
            text.append(' ');
        }
        text.append(call);
    }

    private void add(String kind, byte[] data, int from, int length) {
        add(kind + ":" + new String(data, from, length, StandardCharsets.UTF_8));
    }

    @Override
    public void nullElement() {
        add("null");
    }

    @Override
    public void bool(boolean value) {
        add("bool:" + value);
    }

    @Override
    public void int64(long value) {
        add("int:" + value);
    }

    @Override
    public void decimal(byte[] ascii, int from, int length) {
        add("decimal", ascii, from, length);
    }

    @Override
    public void floating(byte[] ascii, int from, int length) {
        add("float", ascii, from, length);
    }

    @Override
    public void string(byte[] utf8, int from, int length) {
        add("string", utf8, from, length);
    }

    @Override
    public void bytes(byte[] raw, int from, int length) {
        add("bytes:" + HexFormat.of().formatHex(raw, from, from + length));
    }

    @Override
    public void json(byte[] utf8, int from, int length) {
        add("json", utf8, from, length);
    }

    @Override
    public void text(LogicalType type, byte[] ascii, int from, int length) {
        add(type.toString(), ascii, from, length);
    }

    @Override
    public void other(byte[] utf8, int from, int length) {
        add("other", utf8, from, length);
    }

    @Override
    public void beginArray() {
        add("[");
    }

    @Override
    public void endArray() {
        text.append(']');
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
