package io.tidegate.connector.files;

import io.tidegate.spi.ByteBuilder;
import io.tidegate.spi.ColumnState;
import io.tidegate.spi.LogicalType;
import io.tidegate.spi.Row;
import io.tidegate.spi.ValueVisitor;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/** Writes a value for people, whole: numbers and times as they are, text in quotes, bytes as hexadecimal digits. */
final class ReadableValue implements ValueVisitor {

    private ByteBuilder out = new ByteBuilder(0);
    private boolean first = true;

    void write(Row row, int column, ByteBuilder to) {
        out = to;
        first = true;
        ColumnState state = row.state(column);
        switch (state) {
            case VALUE -> row.visit(column, this);
            case NULL -> to.ascii("null");
            case UNCHANGED -> to.ascii("(unchanged)");
            case ABSENT -> to.ascii("(not logged)");
        }
    }

    @Override
    public void nullElement() {
        plain("null");
    }

    @Override
    public void bool(boolean value) {
        plain(value ? "true" : "false");
    }

    @Override
    public void int64(long value) {
        plain(Long.toString(value));
    }

    @Override
    public void decimal(byte[] ascii, int from, int length) {
        escaped(ascii, from, length);
    }

    @Override
    public void floating(byte[] ascii, int from, int length) {
        escaped(ascii, from, length);
    }

    @Override
    public void string(byte[] utf8, int from, int length) {
        separator();
        out.put('"');
        ReadableText.escaped(out, utf8, from, length);
        out.put('"');
    }

    @Override
    public void bytes(byte[] raw, int from, int length) {
        separator();
        out.ascii("0x").ascii(HexFormat.of().formatHex(raw, from, from + length));
    }

    @Override
    public void json(byte[] utf8, int from, int length) {
        string(utf8, from, length);
    }

    @Override
    public void text(LogicalType type, byte[] ascii, int from, int length) {
        escaped(ascii, from, length);
    }

    @Override
    public void other(byte[] utf8, int from, int length) {
        string(utf8, from, length);
    }

    @Override
    public void beginArray() {
        separator();
        out.put('[');
        first = true;
    }

    @Override
    public void endArray() {
        out.put(']');
        first = false;
    }

    private void plain(String text) {
        byte[] ascii = text.getBytes(StandardCharsets.US_ASCII);
        escaped(ascii, 0, ascii.length);
    }

    private void escaped(byte[] ascii, int from, int length) {
        separator();
        ReadableText.escaped(out, ascii, from, length);
    }

    private void separator() {
        if (!first) {
            out.put(',');
        }
        first = false;
    }
}
