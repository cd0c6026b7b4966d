package io.tidegate.spi;

/**
 * A place in a split's history. Made, printed and compared by its source only ({@link Positions}); to everybody else it
 * is opaque. Immutable.
 */
public interface Position {}
