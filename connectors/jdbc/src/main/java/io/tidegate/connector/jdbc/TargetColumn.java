package io.tidegate.connector.jdbc;

import org.jspecify.annotations.Nullable;

/**
 * A column of a table at the target.
 *
 * @param name unquoted
 * @param display its type with modifiers, as a statement would write it
 * @param castType the type without modifiers, of a domain its base type, quoted, for casts; casts with modifiers, and to domains that
 *     have them, would cut
 * @param kind what values it takes
 * @param limits what is checked before a value is sent, because the server would round, cut or drop silently
 * @param alike it has the very type of the source's column, so that nothing has to be checked
 * @param writable false: the server computes it
 */
record TargetColumn(
        String name, String display, String castType, Kind kind, Limits limits, boolean alike, boolean writable) {

    /** What values a column takes. */
    enum Kind {
        TEXT,
        BOOLEAN,
        INTEGER,
        DECIMAL,
        FLOAT32,
        FLOAT64,
        UUID,
        DATE,
        TIME,
        TIME_ZONED,
        TIMESTAMP,
        TIMESTAMP_ZONED,
        INTERVAL,
        JSON,
        BYTES,
        ARRAY,
        /** The server reads the text, or refuses it. */
        OTHER,
        /** The server would cut or round texts of other types without a word: only values of the very type. */
        ALIKE_ONLY
    }

    /**
     * What fits.
     *
     * @param length characters (or bytes) at most; -1: no limit of its own
     * @param scale digits after the point at most, of a number or of seconds; -1: no limit of its own
     */
    record Limits(int length, int scale) {
        static final Limits NONE = new Limits(-1, -1);
    }

    TargetColumn alike(boolean same) {
        return new TargetColumn(name, display, castType, kind, limits, same, writable);
    }

    /** The column with this name, or null. */
    static @Nullable TargetColumn find(Iterable<TargetColumn> columns, String name) {
        for (TargetColumn column : columns) {
            if (column.name().equals(name)) {
                return column;
            }
        }
        return null;
    }
}
