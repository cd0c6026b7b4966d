/**
 * A database that changes are written into: rows by key, or every change, with the sink that writes it and what can happen
 * to a request on its way. Entry classes: {@link io.tidegate.simulation.sink.TargetDatabase},
 * {@link io.tidegate.simulation.sink.TargetSink}. The database outlives processes. Of the thread that has the baton.
 */
@NullMarked
package io.tidegate.simulation.sink;

import org.jspecify.annotations.NullMarked;
