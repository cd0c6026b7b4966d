package io.tidegate.engine.gate;

/** How a session ended, as its gate sees it. */
public enum GateEnd {
    /** Everything handed over was settled, persisted and acknowledged. */
    STOPPED,
    /** The time for that ran out; what is missing is delivered again, as after a kill. */
    STOP_TIMED_OUT,
    /** Something failed; the next session starts from what the store holds. */
    FAILED
}
