package io.tidegate.server.postgres;

import io.tidegate.spi.Change;
import io.tidegate.spi.ColumnState;
import io.tidegate.spi.LogicalType;
import io.tidegate.spi.Row;
import io.tidegate.spi.ValueVisitor;
import java.nio.charset.StandardCharsets;

/** A change in a few characters: {@code c t 1}, the operation, the table and its first column. */
final class ChangeText implements ValueVisitor {

    private String text = "";

    private ChangeText() {}

    static String of(Change change) {
        Row row = change.keyRow();
        ChangeText first = new ChangeText();
        if (row != null && row.state(0) == ColumnState.VALUE) {
            row.visit(0, first);
        }
        return change.op().code() + " " + change.table().name() + (row == null ? "" : " " + first.text);
    }

    private void ascii(byte[] bytes, int from, int length) {
        text = new String(bytes, from, length, StandardCharsets.UTF_8);
    }

    @Override
    public void nullElement() {
        text = "null";
    }

    @Override
    public void bool(boolean value) {
        text = Boolean.toString(value);
    }

    @Override
    public void int64(long value) {
        text = Long.toString(value);
    }

    @Override
    public void decimal(byte[] ascii, int from, int length) {
        ascii(ascii, from, length);
    }

    @Override
    public void floating(byte[] ascii, int from, int length) {
        ascii(ascii, from, length);
    }

    @Override
    public void string(byte[] utf8, int from, int length) {
        ascii(utf8, from, length);
    }

    @Override
    public void bytes(byte[] raw, int from, int length) {
        text = length + " bytes";
    }

    @Override
    public void json(byte[] utf8, int from, int length) {
        ascii(utf8, from, length);
    }

    @Override
    public void text(LogicalType type, byte[] ascii, int from, int length) {
        ascii(ascii, from, length);
    }

    @Override
    public void other(byte[] utf8, int from, int length) {
        ascii(utf8, from, length);
    }

    @Override
    public void beginArray() {}

    @Override
    public void endArray() {}
}
