package io.tidegate.formats;

import io.tidegate.spi.ByteBuilder;
import java.util.Arrays;

/**
 * Remembers where in a change JSON's own null stands, which looks like a column or an element that is null in the database
 * (I16: they are two values). A place is the path to it: names of fields, indexes of arrays. Belongs to one thread.
 */
final class JsonNulls {

    /** The name of a value whose nulls are not remembered: a part of a key is never null in the database. */
    static final byte[] NOWHERE = {};

    private final ByteBuilder paths = new ByteBuilder(64);
    private byte[] field = NOWHERE;
    private byte[] column = NOWHERE;
    private int[] indexes = new int[6];
    private int depth;

    /** A change begins. */
    void clear() {
        paths.clear();
    }

    /**
     * The columns of a row begin.
     *
     * @param name of the field that holds the row, quoted; empty if the row is not in a field of its own
     */
    void row(byte[] name) {
        field = name;
    }

    /**
     * The value of a column begins.
     *
     * @param name quoted, with a colon, or {@link #NOWHERE}
     */
    void column(byte[] name) {
        column = name;
        depth = 0;
    }

    void beginArray() {
        if (depth == indexes.length) {
            indexes = Arrays.copyOf(indexes, 2 * depth);
        }
        indexes[depth++] = -1;
    }

    void endArray() {
        depth--;
    }

    /** Goes on to the next value; whether it is an element that others of its array stand before. */
    boolean next() {
        return depth > 0 && ++indexes[depth - 1] > 0;
    }

    int depth() {
        return depth;
    }

    /** Sees the JSON value that {@link #next} went on to. */
    void see(byte[] utf8, int from, int length) {
        int at = from;
        int end = from + length;
        while (at < end && utf8[at] <= ' ') {
            at++;
        }
        // no other JSON value begins with this letter
        if (at < end && utf8[at] == 'n' && column.length > 0) {
            add();
        }
    }

    private void add() {
        paths.put(paths.length() == 0 ? '[' : ',').put('[');
        if (field.length > 0) {
            paths.put(field, 0, field.length).put(',');
        }
        paths.put(column, 0, column.length - 1);
        for (int i = 0; i < depth; i++) {
            paths.put(',').decimal(indexes[i]);
        }
        paths.put(']');
    }

    /** Appends the field with the paths, if there are some. */
    void write(String name, ByteBuilder out) {
        if (paths.length() > 0) {
            out.put(',').put('"').ascii(name).put('"').put(':');
            out.put(paths.array(), 0, paths.length()).put(']');
        }
    }
}
