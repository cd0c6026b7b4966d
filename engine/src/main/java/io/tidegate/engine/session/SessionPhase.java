package io.tidegate.engine.session;

/** Where a session is in its life; it only goes down. */
public enum SessionPhase {
    /** Waits for what the store holds. */
    LOADING,
    /** The source is getting ready. */
    PREPARING,
    /** The sink is opening. */
    OPENING,
    RUNNING,
    /** A stop was asked for: drains. */
    DRAINING,
    /** Ended by the gate, or failed before there was one; waits for its roles to end. */
    ENDING,
    ENDED
}
