/**
 * What a connector author sees: sources with their splits and positions, sinks with their batches, and the changes
 * between them. Entry points: {@link io.tidegate.spi.SourceConnector} and {@link io.tidegate.spi.SinkConnector}.
 * Each interface names the one thread that calls it; only methods called {@code abort} may be called by any thread.
 */
@NullMarked
package io.tidegate.spi;

import org.jspecify.annotations.NullMarked;
