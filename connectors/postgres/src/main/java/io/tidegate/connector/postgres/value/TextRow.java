package io.tidegate.connector.postgres.value;

import io.tidegate.spi.ColumnState;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.Row;
import io.tidegate.spi.TableSchema;
import io.tidegate.spi.TidegateException;
import io.tidegate.spi.ValueVisitor;

/**
 * A row whose values are the server's texts, each a range of one array; a text is decoded when it is visited. A length
 * below zero says that the column has no value, and why.
 */
public final class TextRow implements Row {

    /** The length of a column that is null. */
    public static final int NULL = -1;

    /** The length of a column that kept a value which the log does not carry. */
    public static final int UNCHANGED = -2;

    /** The length of a column that this row does not carry. */
    public static final int ABSENT = -3;

    private final TableSchema schema;
    private final ValueReader[] readers;
    private final byte[] data;
    private final int[] offsets;
    private final int[] lengths;

    /** The arrays belong to the row from now on: nobody writes into them. */
    public TextRow(TableSchema schema, ValueReader[] readers, byte[] data, int[] offsets, int[] lengths) {
        int columns = schema.columns().size();
        if (readers.length != columns || offsets.length != columns || lengths.length != columns) {
            throw new IllegalArgumentException(schema.display() + " has " + columns + " columns, the row has "
                    + readers.length + " readers, " + offsets.length + " offsets, " + lengths.length + " lengths");
        }
        this.schema = schema;
        this.readers = readers;
        this.data = data;
        this.offsets = offsets;
        this.lengths = lengths;
    }

    @Override
    public ColumnState state(int column) {
        int length = lengths[column];
        return switch (length) {
            case NULL -> ColumnState.NULL;
            case UNCHANGED -> ColumnState.UNCHANGED;
            case ABSENT -> ColumnState.ABSENT;
            default -> ColumnState.VALUE;
        };
    }

    @Override
    public void visit(int column, ValueVisitor visitor) {
        if (lengths[column] < 0) {
            throw new IllegalStateException("column " + column + " of " + schema.display() + " has no value");
        }
        try {
            readers[column].read(data, offsets[column], lengths[column], visitor);
        } catch (UnreadableTextException e) {
            throw new TidegateException(
                    ErrorCode.VALUE_UNREADABLE,
                    "column " + schema.columns().get(column).name() + " of " + schema.display() + ", type "
                            + schema.columns().get(column).nativeType() + ": " + e.getMessage(),
                    e);
        }
    }

    /** The server's text of a column that has a value, where it lies in {@link #data}. */
    public int offset(int column) {
        return offsets[column];
    }

    /** The text's length in bytes, or why there is none. */
    public int length(int column) {
        return lengths[column];
    }

    /** What the offsets point into; not to be written to. */
    public byte[] data() {
        return data;
    }
}
