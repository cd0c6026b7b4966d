package io.tidegate.spi;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One attempt at reading a source. Called by the session's own thread only, except {@link #open}, which is called by the
 * thread that will own the reader, and {@link #abort}.
 */
public interface SourceSession extends AutoCloseable {

    /**
     * Brings the source one step nearer to being read. Called first with what the store holds, and after each
     * {@link Preparation.Write} again with what it holds then, until it answers {@link Preparation.Ready}. What a step
     * does to the outside must be repaired by the next start if the process dies right after it.
     *
     * @throws TidegateException {@link ErrorCode#POSITION_LOST} if it cannot go on exactly after the checkpoint (I13)
     */
    Preparation prepare(Checkpoint durable) throws InterruptedException;

    /** Opens a split for reading, after {@link Preparation.Ready}. */
    SplitReader open(SplitPlan plan, @Nullable Position from) throws InterruptedException;

    /**
     * Looks after the session: watches what positions depend on, finds new splits. Called about once a second. Bounded.
     *
     * @return splits that were found, in an order in which each comes after the ones it names; mostly none. One that comes
     *     after a split that a reader has found is returned together with it: what readers say and what this returns can
     *     arrive in any order. To say a plan again changes nothing
     */
    default List<SplitPlan> tend() throws InterruptedException {
        return List.of();
    }

    /**
     * A checkpoint of a split that is not being read any more is durable. True: confirmed; false: ask again (I9).
     *
     * @throws TidegateException the session ends
     */
    default boolean acknowledge(SplitProgress durable) throws InterruptedException {
        return true;
    }

    /**
     * Makes whatever this session or its readers wait for fail soon. Any thread, any number of
     * times, also after {@link #close}.
     */
    void abort();

    /**
     * Ends. Called after all its readers were closed, however the session ends; but if the time for a stop has run out, it is
     * called after {@link #abort}, and a reader may still be on its way out.
     */
    @Override
    void close();
}
