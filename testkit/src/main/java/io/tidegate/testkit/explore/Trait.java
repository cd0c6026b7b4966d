package io.tidegate.testkit.explore;

/** What can happen in a configuration beside progress. */
enum Trait {
    /** Readers and sinks of the session before still speak. */
    DEAD_SESSIONS_SPEAK,
    /** The process dies. */
    CRASHES,
    /** A graceful stop is asked for. */
    STOPS,
    /** A reader, a hand-over or the sink fails. */
    FAILURES,
    /** A write of the store fails; it may have landed. */
    STORE_FAILURES,
    /** Durable and reported are two steps, at the sink and in the store; taken by the source and confirmed, too. */
    TWO_STEPS,
    /** Splits are made durable before the session's gate is built, not by the gate. */
    PREPARED
}
