package io.tidegate.engine.store;

import io.tidegate.spi.Checkpoint;
import io.tidegate.spi.Replan;
import io.tidegate.spi.SplitPlan;
import io.tidegate.spi.SplitProgress;
import java.util.List;

/**
 * Holds the checkpoint of one pipeline, opened by one process at a time. Belongs to the store's thread; each call blocks
 * until its end, however long that takes, and is never abandoned (I8).
 *
 * <p>A write returns when it is durable. It throws {@link io.tidegate.spi.ErrorCode#STATE_WRITE} when that is not known:
 * then it may have landed or not, the store can still be used, and the caller tries again with at least the same content.
 * A write that breaks a rule (a position or {@code done} that goes back, a split that is not known, a plan with a known
 * id and another content) throws {@link io.tidegate.spi.ErrorCode#INTERNAL} and changes nothing.
 */
public interface StateStore extends AutoCloseable {

    /**
     * What is durable now; {@link Checkpoint#EMPTY} if nothing was ever written. After a failed write it first makes sure
     * of what it answers, by a write of its own, which can fail as any other.
     */
    Checkpoint read();

    /** One durable step of a source that is getting ready. */
    void replan(Replan replan);

    /** One durable write of splits that were found and of what was settled; {@code planned} comes first. */
    void progress(List<SplitPlan> planned, List<SplitProgress> progress);

    /** Lets go of the store. Everything that was confirmed is durable without it. */
    @Override
    void close();
}
