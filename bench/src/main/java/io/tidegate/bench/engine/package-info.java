/**
 * The whole engine without a database: a source that has its changes in memory, and a sink that counts. Entry class:
 * {@link io.tidegate.bench.engine.EngineAlone}.
 */
@NullMarked
package io.tidegate.bench.engine;

import org.jspecify.annotations.NullMarked;
