/**
 * Sources over the simulated upstream: of tables with a log, by the rules of the PostgreSQL source, and of shards. Entry
 * classes: {@link io.tidegate.simulation.source.LogSource}, {@link io.tidegate.simulation.source.ShardSource}. Each object
 * belongs to the role that the engine gives it to.
 */
@NullMarked
package io.tidegate.simulation.source;

import org.jspecify.annotations.NullMarked;
