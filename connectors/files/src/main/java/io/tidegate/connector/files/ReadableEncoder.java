package io.tidegate.connector.files;

import io.tidegate.spi.ByteBuilder;
import io.tidegate.spi.Change;
import io.tidegate.spi.ChangeEncoder;
import io.tidegate.spi.ColumnState;
import io.tidegate.spi.Op;
import io.tidegate.spi.Row;
import io.tidegate.spi.TableSchema;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Writes a change as one line for people: the time of its commit in UTC, what happened, the table, the key, then what
 * changed. Long values are cut, with their length. Not a format to be read by programs. Belongs to one thread.
 */
final class ReadableEncoder implements ChangeEncoder {

    /** Bytes of a value that are shown. */
    static final int VALUE_BYTES_MAX = 80;

    private static final String RESET = "\u001b[0m";
    private static final String DIM = "\u001b[2m";
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss.SSS", Locale.ROOT).withZone(ZoneOffset.UTC);

    private final boolean colored;
    private final ReadableValue values = new ReadableValue();
    private final ByteBuilder now = new ByteBuilder(256);
    private final ByteBuilder earlier = new ByteBuilder(256);

    ReadableEncoder(boolean colored) {
        this.colored = colored;
    }

    @Override
    public void encode(Change change, ByteBuilder out) {
        long millis = Math.floorDiv(change.origin().committedAtMicros(), 1000L);
        color(DIM, out);
        out.ascii(TIME.format(Instant.ofEpochMilli(millis)));
        color(RESET, out);
        out.put(' ');
        color(colorOf(change.op()), out);
        out.ascii(word(change.op()));
        color(RESET, out);
        out.put(' ');
        TableSchema table = change.table();
        name(table.namespace(), out);
        out.put('.');
        name(table.name(), out);
        Row row = change.keyRow();
        if (row == null) {
            return;
        }
        for (int column : table.key()) {
            field(change, row, column, out);
        }
        for (int column = 0; column < table.columns().size(); column++) {
            if (!table.key().contains(column) && row.state(column) != ColumnState.ABSENT) {
                field(change, row, column, out);
            }
        }
    }

    /** Appends a column; one that an update left as it was is left out, unless it belongs to the key. */
    private void field(Change change, Row row, int column, ByteBuilder out) {
        TableSchema table = change.table();
        boolean key = table.key().contains(column);
        now.clear();
        values.write(row, column, now);
        Row before = change.before();
        boolean compared = change.op() == Op.UPDATE && holds(before, column) && row.state(column) != ColumnState.ABSENT;
        boolean same = row.state(column) == ColumnState.UNCHANGED;
        if (compared && before != null && !same) {
            earlier.clear();
            values.write(before, column, earlier);
            same = Arrays.equals(earlier.array(), 0, earlier.length(), now.array(), 0, now.length());
        }
        if (same && !key) {
            return;
        }
        out.put(' ');
        if (!key) {
            color(DIM, out);
        }
        name(table.columns().get(column).name(), out);
        out.put('=');
        if (!key) {
            color(RESET, out);
        }
        if (compared && !same) {
            value(earlier, out);
            out.utf8(" \u2192 ");
        }
        value(now, out);
    }

    private static boolean holds(@Nullable Row row, int column) {
        return row != null && List.of(ColumnState.VALUE, ColumnState.NULL).contains(row.state(column));
    }

    private static void value(ByteBuilder value, ByteBuilder out) {
        if (value.length() <= VALUE_BYTES_MAX) {
            out.put(value.array(), 0, value.length());
        } else {
            out.put(value.array(), 0, ReadableText.whole(value.array(), 0, VALUE_BYTES_MAX));
            out.utf8("\u2026 (").decimal(value.length()).ascii(" bytes)");
        }
    }

    private static void name(String name, ByteBuilder out) {
        ReadableText.escaped(out, name);
    }

    private void color(String sequence, ByteBuilder out) {
        if (colored) {
            out.ascii(sequence);
        }
    }

    private static String colorOf(Op op) {
        return switch (op) {
            case CREATE -> "\u001b[32m";
            case UPDATE -> "\u001b[33m";
            case DELETE, TRUNCATE -> "\u001b[31m";
            case READ -> "\u001b[36m";
            case MESSAGE -> "\u001b[35m";
        };
    }

    private static String word(Op op) {
        return switch (op) {
            case CREATE -> "insert  ";
            case UPDATE -> "update  ";
            case DELETE -> "delete  ";
            case READ -> "read    ";
            case TRUNCATE -> "truncate";
            case MESSAGE -> "message ";
        };
    }
}
