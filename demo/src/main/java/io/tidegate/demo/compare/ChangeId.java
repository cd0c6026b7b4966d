package io.tidegate.demo.compare;

/**
 * Which change it is: the n-th row that a transaction changed in the tables of the pipeline.
 *
 * @param tx the transaction's id, its lower 32 bits, as the log has it
 * @param number counts from 1
 */
public record ChangeId(long tx, int number) {}
