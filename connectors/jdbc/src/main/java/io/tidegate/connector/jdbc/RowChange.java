package io.tidegate.connector.jdbc;

import io.tidegate.spi.Batch;
import io.tidegate.spi.Change;
import io.tidegate.spi.RejectedException;
import java.util.ArrayList;
import java.util.List;

/**
 * A change, ready to be written: its values are cells, as the target's statements take them. A cell is null, a text, bytes,
 * or {@link #UNKNOWN}.
 *
 * @param key the cells of the key; of an update that changes it the new one; empty for {@link Kind#APPEND}
 * @param oldKey the key before, if that is another one; else the same
 * @param image a cell for each column; of {@link Kind#REMOVE} empty
 */
@SuppressWarnings("ArrayRecordComponent") // nobody compares or changes them
record RowChange(Tracked tracked, TargetTable table, Kind kind, Object[] key, Object[] oldKey, Object[] image) {

    /** In place of a value that the log does not hold. */
    static final Object UNKNOWN = new Object() {
        @Override
        public String toString() {
            return "UNKNOWN";
        }
    };

    /** What has to be done. */
    enum Kind {
        /** The row is to be there with this content, whatever was there before. */
        PUT,
        /** Of a row that is there, some columns get these values. */
        PATCH,
        /** The row is not to be there. */
        REMOVE,
        /** The row gets another key, and values. */
        REKEY,
        /** One more row of a table without key. */
        APPEND
    }

    /** A change and its place, for whoever refuses it. */
    record Tracked(Batch batch, int index) {
        Change change() {
            return batch.changes().get(index);
        }

        RejectedException rejected(String reason) {
            return new RejectedException(batch, index, reason);
        }
    }

    /** Whether these are the indexes that {@link #known} gives. */
    static boolean knows(Object[] image, List<Integer> columns) {
        int count = 0;
        for (int i = 0; i < image.length; i++) {
            if (image[i] != UNKNOWN) {
                if (count == columns.size() || columns.get(count) != i) {
                    return false;
                }
                count++;
            }
        }
        return count == columns.size();
    }

    /** Indexes of the columns whose values are known. */
    static List<Integer> known(Object[] image) {
        List<Integer> known = new ArrayList<>(image.length);
        for (int i = 0; i < image.length; i++) {
            if (image[i] != UNKNOWN) {
                known.add(i);
            }
        }
        return known;
    }
}
