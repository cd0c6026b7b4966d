package io.tidegate.engine.session;

/**
 * A call out of the engine that is under way. Immutable: its thread publishes it before the call, and takes it back after.
 *
 * @param what is called, such as {@code flush}
 * @param since its begin, in nanoseconds of the clock
 */
record OpenCall(String what, long since) {}
