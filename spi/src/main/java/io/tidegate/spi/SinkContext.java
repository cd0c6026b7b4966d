package io.tidegate.spi;

/** What the engine gives to a session of a sink. */
public interface SinkContext {

    /** The pipeline's name. */
    String pipeline();

    /** {@link Source#system} of the source. */
    String sourceSystem();

    /** {@link Source#readsFrom} of the source. */
    default boolean sourceReadsFrom(Place place) {
        return false;
    }

    /** {@link Source#captures} of the source. */
    default boolean sourceCaptures(String namespace, String table) {
        return false;
    }

    /** All files go through here. */
    Disk disk();

    /** Writes a change in the pipeline's format. Belongs to the sink's thread. */
    ChangeEncoder encoder();

    /** Monotone, for limits. */
    long nanoTime();

    /** Wall time, milliseconds since 1970-01-01T00:00:00Z. */
    long epochMillis();

    /** Counts a change that had nothing to do: in catch-up, an update of a row that is not there. Any thread. */
    void nothingToDo(Change change);

    /** Reports that a batch is durable at the sink. Any thread; once for each accepted batch. */
    void durable(Batch batch);
}
