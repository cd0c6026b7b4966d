package io.tidegate.spi;

/**
 * The values of one row, in the order of its schema's columns. Values are decoded when they are read: a column that is
 * copied from the source's text to a format's text never becomes an object in between. Immutable and safe to read from
 * any thread, but one thread at a time.
 */
public interface Row {

    ColumnState state(int column);

    /**
     * Gives the value of a column in state {@link ColumnState#VALUE} to the visitor, by exactly one call (arrays: by
     * one balanced sequence of calls).
     *
     * @throws TidegateException {@link ErrorCode#VALUE_UNREADABLE}: the source cannot read what the server sent
     */
    void visit(int column, ValueVisitor visitor);
}
