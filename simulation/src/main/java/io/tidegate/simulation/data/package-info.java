/**
 * The upstream as it is: tables with a log, and shards with a lineage, with what a source makes of them. Entry classes:
 * {@link io.tidegate.simulation.data.Database}, {@link io.tidegate.simulation.data.Shards}. It outlives processes. Of the
 * thread that has the baton.
 */
@NullMarked
package io.tidegate.simulation.data;

import org.jspecify.annotations.NullMarked;
