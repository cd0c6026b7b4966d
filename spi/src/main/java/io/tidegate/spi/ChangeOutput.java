package io.tidegate.spi;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Takes what a reader read, in order. Belongs to the reader's thread. */
public interface ChangeOutput {

    /**
     * Takes one change.
     *
     * @param resume where to restart once this change and all before it are settled; null inside a transaction, or any
     *     group of changes that share a position (I5)
     */
    void change(Change change, @Nullable Position resume);

    /** A position without a row: the end of a transaction or window, a keepalive, filtered rows (I7). */
    void marker(Position position);

    /** More splits were found; all of them become durable in one write before any opens. */
    void planned(List<SplitPlan> plans);

    /** True: return from the poll. */
    boolean full();
}
