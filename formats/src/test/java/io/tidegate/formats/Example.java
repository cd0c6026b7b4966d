package io.tidegate.formats;

import io.tidegate.spi.ByteBuilder;
import io.tidegate.spi.Change;
import io.tidegate.spi.ChangeEncoder;
import io.tidegate.spi.Column;
import io.tidegate.spi.ColumnState;
import io.tidegate.spi.LogicalType;
import io.tidegate.spi.Op;
import io.tidegate.spi.Origin;
import io.tidegate.spi.Row;
import io.tidegate.spi.TableSchema;
import io.tidegate.spi.ValueVisitor;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Changes made by hand. */
final class Example {

    /** Commit time of every change: 2026-01-02T03:04:05.678901Z. */
    static final long MICROS = 1_767_323_045_678_901L;

    private Example() {}

    /** A column's state and, if it has one, the call that gives its value. */
    record Cell(ColumnState state, Consumer<ValueVisitor> call) {}

    static final Cell NULL = new Cell(ColumnState.NULL, v -> {});
    static final Cell UNCHANGED = new Cell(ColumnState.UNCHANGED, v -> {});
    static final Cell ABSENT = new Cell(ColumnState.ABSENT, v -> {});

    static Cell value(Consumer<ValueVisitor> call) {
        return new Cell(ColumnState.VALUE, call);
    }

    static Cell number(long value) {
        return value(v -> v.int64(value));
    }

    static Cell text(String text) {
        byte[] utf8 = ("x" + text + "y").getBytes(StandardCharsets.UTF_8);
        return value(v -> v.string(utf8, 1, utf8.length - 2));
    }

    /** Gives a call some bytes inside a larger array, as a source does. */
    static Cell bytes(String text, Call call) {
        byte[] utf8 = ("x" + text + "y").getBytes(StandardCharsets.UTF_8);
        return value(v -> call.on(v, utf8, 1, utf8.length - 2));
    }

    interface Call {
        void on(ValueVisitor visitor, byte[] bytes, int from, int length);
    }

    static Row row(Cell... cells) {
        return new Row() {
            @Override
            public ColumnState state(int column) {
                return cells[column].state();
            }

            @Override
            public void visit(int column, ValueVisitor visitor) {
                cells[column].call().accept(visitor);
            }
        };
    }

    static TableSchema table(String namespace, String name, List<Integer> key, String... columns) {
        List<Column> list = new ArrayList<>();
        for (String column : columns) {
            list.add(new Column(column, LogicalType.STRING, "text"));
        }
        return new TableSchema(namespace, name, list, key, 0);
    }

    static Change change(Op op, TableSchema table, @Nullable Row before, @Nullable Row after) {
        return new Change(op, table, before, after, origin(MICROS), 1);
    }

    static Origin origin(long micros) {
        return new Origin() {
            @Override
            public long committedAtMicros() {
                return micros;
            }

            @Override
            public byte[] ordinal() {
                return new byte[0];
            }

            @Override
            public String position() {
                return "0/1A";
            }

            @Override
            public void describe(FieldVisitor fields) {
                fields.text("lsn", "0/\"1A");
                fields.number("xid", 7);
                fields.bool("snapshot", false);
            }
        };
    }

    static String line(ChangeEncoder encoder, Change change) {
        ByteBuilder out = new ByteBuilder(1);
        encoder.encode(change, out);
        return out.toString();
    }
}
