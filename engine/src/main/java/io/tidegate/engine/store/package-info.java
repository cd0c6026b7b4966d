/**
 * What a pipeline may rely on after a crash: the checkpoint, written durably and read back exactly or not at all. Entry
 * points: {@link io.tidegate.engine.store.StateStore}, and {@link io.tidegate.engine.store.FileStateStore} for files.
 * A store belongs to the store's thread, which outlives sessions.
 */
@NullMarked
package io.tidegate.engine.store;

import org.jspecify.annotations.NullMarked;
