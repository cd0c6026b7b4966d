package io.tidegate.spi;

import org.jspecify.annotations.Nullable;

/**
 * How far a split has come. What is stored and what is acknowledged is this same object, so the two cannot differ (I1).
 *
 * @param position everything up to here is settled; null: nothing that could be resumed from
 * @param done everything of the split is settled; it is never opened again
 */
public record SplitProgress(String id, @Nullable Position position, boolean done) {}
