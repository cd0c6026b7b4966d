package io.tidegate.simulation.data;

import java.util.List;

/**
 * A committed transaction.
 *
 * @param commitAt where its commit record begins: this orders transactions
 * @param endAt where it ends; the next one may begin right there
 */
public record Transaction(long commitAt, long endAt, List<LogChange> changes) {}
