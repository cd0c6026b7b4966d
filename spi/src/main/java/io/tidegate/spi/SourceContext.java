package io.tidegate.spi;

import java.util.List;

/** What the engine gives to a session of a source. Any thread may call it. */
public interface SourceContext {

    /** The pipeline's name. */
    String pipeline();

    /** Monotone, for waits and limits. */
    long nanoTime();

    /** Waits, or returns early if the session is being ended. */
    void pause(java.time.Duration time) throws InterruptedException;

    /**
     * Publishes a measure of the source under its name. {@code retained_bytes}, the log that the server keeps for this source,
     * also serves to see that the source gives nothing although its log grows.
     */
    void measured(String name, double value);

    /** Publishes how far the snapshot of each table is; replaces what was published before, an empty list ends it. */
    void snapshot(List<SnapshotProgress> tables);

    /**
     * Publishes what is wrong and does not stop the pipeline, such as a table that cannot be read on; replaces what was
     * published before.
     */
    void problems(List<Finding> standing);

    /**
     * Says what the source is doing, in one line for people, such as "waiting for slot x, active for pid 7". While it gets
     * ready, a text that changes is a sign of progress: one that stays for long makes the pipeline stalled.
     */
    void doing(String what);
}
