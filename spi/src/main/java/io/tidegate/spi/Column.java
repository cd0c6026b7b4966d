package io.tidegate.spi;

/**
 * One column of a table.
 *
 * @param name as the database spells it, unquoted
 * @param nativeType the database's own name of the type, with its modifiers
 */
public record Column(String name, LogicalType type, String nativeType) {}
