package io.tidegate.spi;

import java.util.List;

/**
 * Consecutive changes of one split, handed to the sink together. Immutable; equal to itself only.
 *
 * @param split the split's handle in this session
 * @param sequence counts the batches of this split in this session, from 0
 * @param lineage of the split ({@link SplitPlan#lineage})
 * @param bytes the sum of the changes' sizes
 */
public record Batch(int split, int sequence, String lineage, List<Change> changes, long bytes) {

    @Override
    public boolean equals(Object other) {
        return this == other;
    }

    @Override
    public int hashCode() {
        return System.identityHashCode(this);
    }
}
