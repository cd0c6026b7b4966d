package io.tidegate.demo;

import java.time.Duration;
import java.util.Optional;

/**
 * What was asked for on the command line.
 *
 * @param length of the load from when the log is read; without it, until a signal comes
 * @param rate changes a second
 * @param killEvery how long an engine's process lives before it is killed
 */
record DemoOptions(Optional<Duration> length, int rate, Optional<Duration> killEvery) {}
