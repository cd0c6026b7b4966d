package io.tidegate.testkit.fake;

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
import java.util.List;

/** Changes that are told apart by a split's name and a number: rows of a table with one column, {@code n}. */
public final class Numbered {

    private static final int SIZE = 100;

    private Numbered() {}

    /** A change of the usual size. */
    public static Change change(String split, int number) {
        return change(split, number, SIZE);
    }

    /**
     * A change that counts as so many bytes; it holds none.
     *
     * @param number its place in the split, from 0
     */
    public static Change change(String split, int number, int size) {
        TableSchema table =
                new TableSchema("fake", split, List.of(new Column("n", LogicalType.INT64, "number")), List.of(0), 0);
        return new Change(Op.CREATE, table, null, new OneNumber(number), new At(number), size);
    }

    /** Names a change as {@code split:number}. */
    public static String name(Change change) {
        return change.table().name() + ":" + ((At) change.origin()).number();
    }

    private record OneNumber(int number) implements Row {
        @Override
        public ColumnState state(int column) {
            return ColumnState.VALUE;
        }

        @Override
        public void visit(int column, ValueVisitor visitor) {
            visitor.int64(number);
        }
    }

    private record At(int number) implements Origin {
        @Override
        public long committedAtMicros() {
            return 0;
        }

        @Override
        public byte[] ordinal() {
            return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
        }

        @Override
        public String position() {
            return Integer.toString(number);
        }

        @Override
        public void describe(FieldVisitor fields) {
            fields.number("n", number);
        }
    }
}
