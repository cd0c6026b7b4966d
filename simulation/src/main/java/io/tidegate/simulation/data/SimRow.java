package io.tidegate.simulation.data;

import io.tidegate.spi.ColumnState;
import io.tidegate.spi.Row;
import io.tidegate.spi.ValueVisitor;

/** A row, or its key alone. */
public record SimRow(int key, long value, long big, boolean keyOnly) implements Row {

    public static SimRow key(int key) {
        return new SimRow(key, 0, 0, true);
    }

    public boolean bigUnchanged() {
        return big == LogChange.UNCHANGED;
    }

    @Override
    public ColumnState state(int column) {
        if (keyOnly && column != Tables.KEY) {
            return ColumnState.ABSENT;
        }
        return column == Tables.BIG && bigUnchanged() ? ColumnState.UNCHANGED : ColumnState.VALUE;
    }

    @Override
    public void visit(int column, ValueVisitor visitor) {
        visitor.int64(
                switch (column) {
                    case Tables.KEY -> key;
                    case Tables.VALUE -> value;
                    default -> big;
                });
    }
}
