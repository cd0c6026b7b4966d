/**
 * The functional core: decides what may be opened, persisted and acknowledged. No threads, no clock, no I/O. Entry class:
 * {@link io.tidegate.engine.gate.Gate}, on the pipeline's thread; {@link io.tidegate.engine.gate.Batcher} stands in front
 * of it, on each reader's thread.
 */
@NullMarked
package io.tidegate.engine.gate;

import org.jspecify.annotations.NullMarked;
