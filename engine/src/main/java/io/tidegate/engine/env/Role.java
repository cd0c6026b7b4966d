package io.tidegate.engine.env;

/**
 * Something with a thread of its own, as a bounded step: its thread is outside, and a test or a simulator can call it
 * without one. Handles its own failures: a step that throws is a fault in Tidegate.
 */
public interface Role {

    /** What a step leaves behind. */
    enum Step {
        /** There may be more to do at once. */
        WORKED,
        /** Nothing to do until something wakes it, or {@link #idleNanosMax} have passed. */
        IDLE,
        /** It is over; no step follows. */
        ENDED
    }

    Step step();

    /** The longest time to wait after an {@link Step#IDLE} step. */
    long idleNanosMax();
}
