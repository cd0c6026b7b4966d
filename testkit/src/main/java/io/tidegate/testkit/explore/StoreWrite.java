package io.tidegate.testkit.explore;

import io.tidegate.engine.gate.GateWrite;

/**
 * The write that is under way at the store.
 *
 * @param awaited the gate that asked for it lives
 * @param replan it forgets what was planned at birth
 * @param landed it is durable, and nobody knows yet
 */
record StoreWrite(GateWrite write, boolean awaited, boolean replan, boolean landed) {

    StoreWrite(GateWrite write, boolean awaited, boolean replan) {
        this(write, awaited, replan, false);
    }

    /** Of a session that is dead now. */
    StoreWrite unawaited() {
        return new StoreWrite(write, false, replan, landed);
    }

    StoreWrite land() {
        return new StoreWrite(write, awaited, replan, true);
    }
}
