package io.tidegate.spi;

import java.util.List;

/**
 * What the store holds of a pipeline: the source's record, and each split with plan and progress, in the order in which
 * they were planned. Immutable.
 */
public record Checkpoint(SourceRecord source, List<SplitState> splits) {

    public static final Checkpoint EMPTY = new Checkpoint(SourceRecord.EMPTY, List.of());

    public Checkpoint {
        splits = List.copyOf(splits);
    }

    public boolean isEmpty() {
        return source.isEmpty() && splits.isEmpty();
    }
}
