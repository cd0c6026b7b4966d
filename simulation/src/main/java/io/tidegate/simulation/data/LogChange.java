package io.tidegate.simulation.data;

import io.tidegate.spi.Op;

/**
 * A committed change.
 *
 * @param number counts the changes of the upstream, from 1, in commit order
 * @param oldKey the key before it; of an update that keeps its key the same
 * @param big {@link #UNCHANGED}: not in the log
 * @param commitAt where its transaction commits; of a shard's record its index
 * @param endAt where the next one can begin
 */
public record LogChange(long number, Op op, int table, int oldKey, int key, long big, long commitAt, long endAt) {

    public static final long UNCHANGED = -1;

    public boolean moves() {
        return op == Op.UPDATE && oldKey != key;
    }

    @Override
    public String toString() {
        return number + " " + op + " t" + table + " " + (moves() ? oldKey + "→" : "") + (op == Op.DELETE ? oldKey : key)
                + (big == UNCHANGED ? " (big unchanged)" : "");
    }
}
