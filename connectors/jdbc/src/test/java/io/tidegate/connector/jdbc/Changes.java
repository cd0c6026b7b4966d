package io.tidegate.connector.jdbc;

import io.tidegate.spi.Batch;
import io.tidegate.spi.Change;
import io.tidegate.spi.Column;
import io.tidegate.spi.ColumnState;
import io.tidegate.spi.LogicalType;
import io.tidegate.spi.Op;
import io.tidegate.spi.Origin;
import io.tidegate.spi.Row;
import io.tidegate.spi.TableSchema;
import io.tidegate.spi.ValueVisitor;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Makes changes of one log, numbered from 1, and of snapshots. */
final class Changes {

    static final String LINEAGE = "log of the test";

    /** In place of a value. */
    enum Mark {
        UNCHANGED,
        ABSENT
    }

    private long number;
    private int sequence;
    private boolean catchUp;

    /** A table of a schema "public"; each column is {@code name type}, the first {@code keys} are the key. */
    static TableSchema table(String name, int keys, String... columns) {
        List<Column> made = new ArrayList<>();
        for (String column : columns) {
            int space = column.indexOf(' ');
            String type = column.substring(space + 1);
            made.add(new Column(column.substring(0, space), logical(type), type));
        }
        List<Integer> key = new ArrayList<>();
        for (int i = 0; i < keys; i++) {
            key.add(i);
        }
        return new TableSchema("public", name, made, key, 1);
    }

    private static LogicalType logical(String type) {
        String base = type.replaceAll("\\(.*", "");
        return switch (base) {
            case "boolean" -> LogicalType.BOOLEAN;
            case "smallint" -> LogicalType.INT16;
            case "integer" -> LogicalType.INT32;
            case "bigint" -> LogicalType.INT64;
            case "real" -> LogicalType.FLOAT32;
            case "double precision" -> LogicalType.FLOAT64;
            case "numeric" -> LogicalType.DECIMAL;
            case "text", "character varying", "character" -> LogicalType.STRING;
            case "bytea" -> LogicalType.BYTES;
            case "uuid" -> LogicalType.UUID;
            case "date" -> LogicalType.DATE;
            case "time", "time without time zone", "time with time zone" -> LogicalType.TIME;
            case "timestamp", "timestamp without time zone" -> LogicalType.TIMESTAMP;
            case "timestamp with time zone" -> LogicalType.TIMESTAMP_ZONED;
            case "interval" -> LogicalType.INTERVAL;
            case "json", "jsonb" -> LogicalType.JSON;
            default -> type.endsWith("[]") ? LogicalType.ARRAY : LogicalType.OTHER;
        };
    }

    Changes catchUp(boolean on) {
        catchUp = on;
        return this;
    }

    /** Goes back, as a source does that starts again at an older position. */
    void rewind(long to) {
        number = to;
    }

    long number() {
        return number;
    }

    Change insert(TableSchema table, Object... after) {
        return change(Op.CREATE, table, null, after);
    }

    Change update(TableSchema table, Object... after) {
        return change(Op.UPDATE, table, null, after);
    }

    Change rekey(TableSchema table, Object[] oldKey, Object... after) {
        return change(Op.UPDATE, table, oldKey, after);
    }

    Change delete(TableSchema table, Object... key) {
        return change(Op.DELETE, table, key, null);
    }

    Change truncate(TableSchema table) {
        return change(Op.TRUNCATE, table, null, null);
    }

    private Change change(Op op, TableSchema table, Object[] before, Object[] after) {
        return new Change(op, table, row(table, before), row(table, after), new Log(++number, catchUp), 100);
    }

    static Change read(TableSchema table, int attempt, Object... after) {
        return new Change(Op.READ, table, null, row(table, after), new Snapshot(attempt), 100);
    }

    static Change marker(TableSchema table, int attempt) {
        return new Change(Op.TRUNCATE, table, null, null, new Snapshot(attempt), 100);
    }

    Batch batch(Change... changes) {
        return batch(List.of(changes));
    }

    Batch batch(List<Change> changes) {
        return new Batch(0, sequence++, LINEAGE, changes, changes.size() * 100L);
    }

    Batch snapshotBatch(Change... changes) {
        return new Batch(1, sequence++, "", List.of(changes), changes.length * 100L);
    }

    private static Row row(TableSchema table, Object[] values) {
        if (values == null) {
            return null;
        }
        Object[] all = Arrays.copyOf(values, table.columns().size());
        Arrays.fill(all, values.length, all.length, Mark.ABSENT);
        return new Given(table, all);
    }

    private record Log(long number, boolean catchUp) implements Origin {
        @Override
        public long committedAtMicros() {
            return 1_700_000_000_000_000L + number;
        }

        @Override
        public byte[] ordinal() {
            // high bytes, so that a comparison of signed ones would show
            return ByteBuffer.allocate(9).putLong(0x7fL << 56 | number << 4).array();
        }

        @Override
        public String position() {
            return "log " + number;
        }

        @Override
        public void describe(FieldVisitor fields) {
            fields.number("number", number);
        }
    }

    private record Snapshot(int attempt) implements Origin {
        @Override
        public long committedAtMicros() {
            return 1_700_000_000_000_000L;
        }

        @Override
        public byte[] ordinal() {
            return new byte[0];
        }

        @Override
        public String position() {
            return "H" + attempt;
        }

        @Override
        public void describe(FieldVisitor fields) {
            fields.number("attempt", attempt);
        }
    }

    @SuppressWarnings("ArrayRecordComponent") // nobody compares them
    private record Given(TableSchema table, Object[] values) implements Row {
        @Override
        public ColumnState state(int column) {
            Object value = values[column];
            return value == null
                    ? ColumnState.NULL
                    : value == Mark.UNCHANGED
                            ? ColumnState.UNCHANGED
                            : value == Mark.ABSENT ? ColumnState.ABSENT : ColumnState.VALUE;
        }

        @Override
        public void visit(int column, ValueVisitor visitor) {
            visit(table.columns().get(column).type(), values[column], visitor);
        }

        private static void visit(LogicalType type, Object value, ValueVisitor visitor) {
            if (value instanceof Boolean bool) {
                visitor.bool(bool);
            } else if (value instanceof Number number) {
                visitor.int64(number.longValue());
            } else if (value instanceof byte[] bytes) {
                visitor.bytes(bytes, 0, bytes.length);
            } else {
                byte[] text = value.toString().getBytes(StandardCharsets.UTF_8);
                switch (type) {
                    case DECIMAL -> visitor.decimal(text, 0, text.length);
                    case FLOAT32, FLOAT64 -> visitor.floating(text, 0, text.length);
                    case JSON -> visitor.json(text, 0, text.length);
                    case DATE, TIME, TIMESTAMP, TIMESTAMP_ZONED, INTERVAL, UUID ->
                        visitor.text(type, text, 0, text.length);
                    case OTHER, ARRAY -> visitor.other(text, 0, text.length);
                    default -> visitor.string(text, 0, text.length);
                }
            }
        }
    }
}
