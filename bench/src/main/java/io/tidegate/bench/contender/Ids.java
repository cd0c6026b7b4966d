package io.tidegate.bench.contender;

import io.tidegate.spi.Change;
import io.tidegate.spi.LogicalType;
import io.tidegate.spi.Row;
import io.tidegate.spi.ValueVisitor;
import java.util.BitSet;

/** The numbers of the rows that came: rows that are numbered from 1 on in their first column. Belongs to one thread. */
final class Ids implements ValueVisitor {

    private final BitSet seen = new BitSet();
    private long count;
    private long last;

    void take(Change change) {
        Row row = change.after();
        if (row == null) {
            throw new IllegalStateException("not an insert: " + change.op());
        }
        row.visit(0, this);
        seen.set(Math.toIntExact(last));
        count++;
    }

    /** All that came, those that came twice twice. */
    long count() {
        return count;
    }

    int distinct() {
        return seen.cardinality();
    }

    /** The largest number that came. */
    int largest() {
        return seen.length() - 1;
    }

    /** The number that came last. */
    long last() {
        return last;
    }

    @Override
    public void int64(long value) {
        last = value;
    }

    @Override
    public void nullElement() {
        throw other();
    }

    @Override
    public void bool(boolean value) {
        throw other();
    }

    @Override
    public void decimal(byte[] ascii, int from, int length) {
        throw other();
    }

    @Override
    public void floating(byte[] ascii, int from, int length) {
        throw other();
    }

    @Override
    public void string(byte[] utf8, int from, int length) {
        throw other();
    }

    @Override
    public void bytes(byte[] raw, int from, int length) {
        throw other();
    }

    @Override
    public void json(byte[] utf8, int from, int length) {
        throw other();
    }

    @Override
    public void text(LogicalType type, byte[] ascii, int from, int length) {
        throw other();
    }

    @Override
    public void other(byte[] utf8, int from, int length) {
        throw other();
    }

    @Override
    public void beginArray() {
        throw other();
    }

    @Override
    public void endArray() {
        throw other();
    }

    private static IllegalStateException other() {
        return new IllegalStateException("the first column is not a whole number");
    }
}
