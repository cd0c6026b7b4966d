package io.tidegate.simulation.data;

/**
 * A row without its key.
 *
 * @param value the number of the change that wrote it
 * @param big the number of the last change that wrote this column, too
 * @param slot its place in the table's file: updates move it
 */
public record Cells(long value, long big, int slot) {

    /** Whether a target that has these cells has this row. */
    public boolean same(Cells other) {
        return value == other.value && big == other.big;
    }
}
