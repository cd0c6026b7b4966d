package io.tidegate.simulation.stage;

/** What a world can have besides faults. Each can be left out of a run. */
public enum Feature {
    /** The upstream forgets what was acknowledged. */
    PRUNING,
    /** The end of a transaction is a marker; else its last change carries the position that all of them share. */
    COMMIT_MARKERS,
    /** The next transaction may begin where the last one ended. */
    EQUAL_POSITIONS,
    LONG_TRANSACTIONS,
    KEY_MOVES,
    UNCHANGED_COLUMNS,
    TRUNCATES,
    KEEPALIVES,
    /** Tables join and leave between runs, and while one runs. */
    TABLE_CHANGES,
    /** Done chunks of an interrupted snapshot are kept. */
    CATCH_UP,
    SEVERAL_CHUNKS,
    SLOW_SNAPSHOTS,
    /** The upstream gives only so much that is not acknowledged. */
    WINDOW,
    /** Calls that wait do so in the middle of a step. */
    BLOCKING_POLLS,
    /** The sink reports later, on a thread of its own. */
    ASYNC_SINK,
    REFUSES_IN_FLUSH,
    LARGE_ROWS,
    /** The application is silent now and then, for longer than a stall takes to show. */
    LONG_PAUSES
}
