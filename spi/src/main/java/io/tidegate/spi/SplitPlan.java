package io.tidegate.spi;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An ordered, separately resumable part of a source: a chunk of a table, a scan segment, a shard, the log. A plan never
 * changes once it is stored.
 *
 * @param id unique in the pipeline for good; a new attempt at the same thing has another id
 * @param after ids of the splits that must be durably done before this one is opened (I6)
 * @param start where reading begins, stored before anything is read (I17); null if the split has no positions yet
 * @param spec what the source needs to read it, in a text of the source's own (bounds, a table's identity)
 * @param lineage names the log that the ordinals of its changes belong to: successive splits of one log have the same, and
 *     no other log ever has; empty if its changes have no ordinals
 */
public record SplitPlan(
        String id, List<String> after, @Nullable Position start, String spec, String lineage) {

    public SplitPlan {
        after = List.copyOf(after);
        if (id.isEmpty()) {
            throw new IllegalArgumentException("a split needs an id");
        }
    }

    /** A split whose changes have no ordinals. */
    public SplitPlan(String id, List<String> after, @Nullable Position start, String spec) {
        this(id, after, start, spec, "");
    }
}
