package io.tidegate.spi;

/**
 * Writes batches, in the order in which they come. Called by the sink's thread only, except {@link #abort}. Whatever is
 * thrown, but {@link RejectedException}, is a failure: the session ends, and what was not durable is delivered again.
 */
public interface SinkSession extends AutoCloseable {

    /**
     * Accepts a batch. Accepted is not durable: that is said by {@link SinkContext#durable}, now or later.
     *
     * @throws RejectedException the sink is there and refuses a change for good
     */
    void accept(Batch batch) throws InterruptedException;

    /**
     * Makes everything accepted durable, and says so. Called when no more batches wait, or enough were accepted,
     * and after a refusal for what was accepted before the refused batch.
     *
     * @throws RejectedException as in {@link #accept}
     */
    void flush() throws InterruptedException;

    /** Called about once a second while nothing is written: rotation by time and the like. */
    default void tend() throws InterruptedException {}

    /**
     * Makes a blocked call fail soon, if that can be done. Any thread, any number of
     * times, also after {@link #close}.
     */
    void abort();

    /** Ends; afterwards nothing that was handed over can land any more. Makes nothing durable. */
    @Override
    void close();
}
