package io.tidegate.spi;

import java.time.Duration;

/** Reads one split. All methods but {@link #abort} are called by one thread, its reader thread. */
public interface SplitReader extends AutoCloseable {

    /** What a poll left behind. */
    enum State {
        /** More can be read at once. */
        MORE,
        /** What was given so far should not wait: nothing more is there now, or more keeps coming without a pause. */
        DRY,
        /** All there is was given. Nothing follows. A failure to read is never this. */
        FINISHED
    }

    /**
     * Reads for at most {@code maxWait}, or until {@link ChangeOutput#full}.
     *
     * @throws TidegateException the session ends; nothing that was not given is lost
     */
    State poll(ChangeOutput out, Duration maxWait) throws InterruptedException;

    /**
     * Called instead of {@link #poll} while there is no room, several times a second: keeps the upstream connection alive,
     * reads no changes.
     */
    default void idle() throws InterruptedException {}

    /** Everything up to here is durable. True: confirmed upstream; false: not now, ask again soon (I9). */
    default boolean acknowledge(SplitProgress durable) throws InterruptedException {
        return true;
    }

    /**
     * Makes a blocked call fail soon. Any thread, any number of
     * times, also after {@link #close}.
     */
    void abort();

    @Override
    void close();
}
