package io.tidegate.connector.jdbc;

import io.tidegate.connector.jdbc.TargetColumn.Kind;
import io.tidegate.spi.ColumnState;
import io.tidegate.spi.LogicalType;
import io.tidegate.spi.Row;
import io.tidegate.spi.ValueVisitor;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** Makes cells of values. Throws {@link ValueRefusedException} for one that its column cannot hold. Of one thread. */
final class CellEncoder implements ValueVisitor {

    private final CellStyle style;
    private final StringBuilder array = new StringBuilder();
    private TargetColumn target = new TargetColumn("", "", "", Kind.OTHER, TargetColumn.Limits.NONE, false, false);
    private @Nullable Object cell;
    private int depth;

    CellEncoder(CellStyle style) {
        this.style = style;
    }

    /** The cell, null for a null, {@link RowChange#UNKNOWN} for what the row does not hold. */
    @Nullable
    Object encode(Row row, int column, TargetColumn into) {
        ColumnState state = row.state(column);
        if (state == ColumnState.NULL) {
            return null;
        }
        if (state != ColumnState.VALUE) {
            return RowChange.UNKNOWN;
        }
        target = into;
        cell = null;
        depth = 0;
        array.setLength(0);
        row.visit(column, this);
        return cell;
    }

    private static String latin(byte[] ascii, int from, int length) {
        return new String(ascii, from, length, StandardCharsets.ISO_8859_1);
    }

    private static String utf8(byte[] bytes, int from, int length) {
        return new String(bytes, from, length, StandardCharsets.UTF_8);
    }

    @Override
    public void nullElement() {
        separate();
        array.append(style.jsonArrays() ? "null" : "NULL");
    }

    @Override
    public void bool(boolean value) {
        if (depth > 0) {
            plain(value ? "true" : "false");
        } else {
            cell = target.kind() == Kind.TEXT
                    ? ColumnFit.text(value ? "true" : "false", target, style)
                    : style.bool(value);
        }
    }

    @Override
    public void int64(long value) {
        number(Long.toString(value));
    }

    @Override
    public void decimal(byte[] ascii, int from, int length) {
        number(latin(ascii, from, length));
    }

    @Override
    public void floating(byte[] ascii, int from, int length) {
        number(latin(ascii, from, length));
    }

    private void number(String text) {
        if (depth == 0) {
            cell = ColumnFit.number(text, target, style);
        } else if (Character.isLetter(text.charAt(text.length() - 1))) {
            quoted(text);
        } else {
            plain(text);
        }
    }

    @Override
    public void string(byte[] utf8, int from, int length) {
        text(utf8(utf8, from, length));
    }

    private void text(String text) {
        if (depth > 0) {
            style.checkText(text);
            quoted(text);
        } else {
            cell = ColumnFit.text(text, target, style);
        }
    }

    @Override
    public void bytes(byte[] raw, int from, int length) {
        if (depth > 0) {
            quoted("\\x" + HexFormat.of().formatHex(raw, from, from + length));
        } else if (target.kind() == Kind.TEXT) {
            cell = ColumnFit.text("\\x" + HexFormat.of().formatHex(raw, from, from + length), target, style);
        } else {
            cell = style.bytes(raw, from, length, target);
        }
    }

    @Override
    public void json(byte[] utf8, int from, int length) {
        String text = utf8(utf8, from, length);
        if (depth > 0 && style.jsonArrays()) {
            plain(text);
        } else {
            text(text);
        }
    }

    @Override
    public void text(LogicalType type, byte[] ascii, int from, int length) {
        String iso = latin(ascii, from, length);
        if (depth == 0) {
            cell = ColumnFit.temporal(type, iso, target, style);
        } else if (target.kind() == Kind.ARRAY && type != LogicalType.UUID) {
            quoted(style.temporal(type, iso, target));
        } else {
            quoted(iso);
        }
    }

    @Override
    public void other(byte[] utf8, int from, int length) {
        text(utf8(utf8, from, length));
    }

    @Override
    public void beginArray() {
        separate();
        array.append(style.jsonArrays() ? '[' : '{');
        depth++;
    }

    @Override
    public void endArray() {
        array.append(style.jsonArrays() ? ']' : '}');
        depth--;
        if (depth == 0) {
            cell = target.kind() == Kind.TEXT ? ColumnFit.text(array.toString(), target, style) : array.toString();
        }
    }

    private void plain(String text) {
        separate();
        array.append(text);
    }

    private void quoted(String text) {
        separate();
        if (style.jsonArrays()) {
            JsonString.append(array, text);
        } else {
            ArrayLiteral.appendQuoted(array, text);
        }
    }

    private void separate() {
        int end = array.length();
        if (end > 0) {
            // Elements end in a quote, a digit, a letter or a closing bracket: an opening one opens an array.
            char last = array.charAt(end - 1);
            if (last != '{' && last != '[') {
                array.append(style.jsonArrays() ? ',' : ArrayLiteral.delimiter(target.display()));
            }
        }
    }
}
