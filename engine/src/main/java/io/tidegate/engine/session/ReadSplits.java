package io.tidegate.engine.session;

import java.util.Set;

/**
 * The splits that are being read.
 *
 * @param handles in the session's gate
 * @param log whether one of them is open that may have nothing to give, such as a log
 */
public record ReadSplits(Set<Integer> handles, boolean log) {}
