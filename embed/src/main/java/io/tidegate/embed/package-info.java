/**
 * Pipelines inside of another Java program: a source from a connector on the class path, and a handler that takes its changes.
 * Entry class: {@link io.tidegate.embed.EmbeddedPipeline}. A handler runs on the pipeline's sink thread, one call at a time;
 * everything else may be called by any thread.
 */
@NullMarked
package io.tidegate.embed;

import org.jspecify.annotations.NullMarked;
