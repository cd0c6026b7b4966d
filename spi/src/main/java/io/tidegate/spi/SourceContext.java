package io.tidegate.spi;

/** What the engine gives to a session of a source. Any thread may call it. */
public interface SourceContext {

    /** The pipeline's name. */
    String pipeline();

    /** Monotone, for waits and limits. */
    long nanoTime();

    /** Waits, or returns early if the session is being ended. */
    void pause(java.time.Duration time) throws InterruptedException;

    /** Publishes a measure of the source, such as {@code retained_bytes}, under its name. */
    void measured(String name, double value);

    /** Says what the source is doing, in one line for people, such as "waiting for slot x, active for pid 7". */
    void doing(String what);
}
