package io.tidegate.connector.files;

import io.tidegate.formats.JsonEncoder;
import io.tidegate.spi.Batch;
import io.tidegate.spi.Change;
import io.tidegate.spi.ChangeEncoder;
import io.tidegate.spi.Column;
import io.tidegate.spi.ColumnState;
import io.tidegate.spi.Disk;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.LogicalType;
import io.tidegate.spi.Op;
import io.tidegate.spi.Origin;
import io.tidegate.spi.Row;
import io.tidegate.spi.SinkContext;
import io.tidegate.spi.TableSchema;
import io.tidegate.spi.TidegateException;
import io.tidegate.spi.ValueVisitor;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Changes with a number each, and a context that notes which batches are durable. */
final class Lines implements SinkContext {

    final List<Integer> durable = new ArrayList<>();
    private final Disk disk;
    private final ChangeEncoder encoder = new JsonEncoder();
    long nanos;

    Lines(Disk disk) {
        this.disk = disk;
    }

    static TableSchema table(String namespace, String name) {
        return new TableSchema(
                namespace,
                name,
                List.of(new Column("id", LogicalType.INT64, "bigint"), new Column("v", LogicalType.STRING, "text")),
                List.of(0),
                0);
    }

    /** A change whose text is unreadable if it is null. */
    static Change change(Op op, TableSchema table, int id, @Nullable String text) {
        Row row = row(id, text);
        return new Change(op, table, op == Op.DELETE ? row : null, op == Op.DELETE ? null : row, new Place(), 1);
    }

    static Row row(int id, @Nullable String text) {
        return new Row() {
            @Override
            public ColumnState state(int column) {
                return ColumnState.VALUE;
            }

            @Override
            public void visit(int column, ValueVisitor visitor) {
                if (column == 0) {
                    visitor.int64(id);
                } else if (text == null) {
                    throw new TidegateException(ErrorCode.VALUE_UNREADABLE, "unreadable");
                } else {
                    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
                    visitor.string(utf8, 0, utf8.length);
                }
            }
        };
    }

    static Batch batch(int sequence, Change... changes) {
        return new Batch(0, sequence, "log", List.of(changes), 1);
    }

    record Place() implements Origin {
        @Override
        public long committedAtMicros() {
            return 1_767_323_045_678_901L;
        }

        @Override
        public byte[] ordinal() {
            return new byte[0];
        }

        @Override
        public String position() {
            return "0/1";
        }

        @Override
        public void describe(FieldVisitor fields) {}
    }

    @Override
    public String pipeline() {
        return "p";
    }

    @Override
    public String sourceSystem() {
        return "test";
    }

    @Override
    public void nothingToDo(Change change) {}

    @Override
    public Disk disk() {
        return disk;
    }

    @Override
    public ChangeEncoder encoder() {
        return encoder;
    }

    @Override
    public long nanoTime() {
        return nanos;
    }

    @Override
    public long epochMillis() {
        return 0;
    }

    @Override
    public void durable(Batch batch) {
        durable.add(batch.sequence());
    }
}
