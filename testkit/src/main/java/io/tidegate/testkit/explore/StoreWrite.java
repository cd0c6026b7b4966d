package io.tidegate.testkit.explore;

import io.tidegate.engine.gate.GateWrite;

/**
 * The write that is under way at the store.
 *
 * @param awaited the gate that asked for it lives
 * @param replan it forgets what was planned at birth
 */
record StoreWrite(GateWrite write, boolean awaited, boolean replan) {}
