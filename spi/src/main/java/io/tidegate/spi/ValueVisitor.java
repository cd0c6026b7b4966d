package io.tidegate.spi;

/**
 * Receives one value in its canonical form. Byte ranges belong to the caller and are valid during the call only.
 * The same row gives the same calls from snapshot and from stream, under any zone, locale and encoding (I16).
 */
public interface ValueVisitor {

    /** A null inside an array; a column that is null is {@link ColumnState#NULL} and is not visited. */
    void nullElement();

    void bool(boolean value);

    void int64(long value);

    /** A number of any precision: ASCII, {@code -?digits[.digits]}, or {@code NaN}, {@code Infinity}, {@code -Infinity}. */
    void decimal(byte[] ascii, int from, int length);

    /** A binary float: ASCII, shortest decimal text that reads back the same, a JSON number, or a name as in decimal. */
    void floating(byte[] ascii, int from, int length);

    void string(byte[] utf8, int from, int length);

    /** The raw bytes of a binary value. */
    void bytes(byte[] raw, int from, int length);

    /** JSON text, numbers to the digit. */
    void json(byte[] utf8, int from, int length);

    /**
     * A date, time, timestamp or interval as ISO 8601 text, or {@code infinity}, {@code -infinity}; also a uuid in its
     * lower-case text. Timestamps with zone are in UTC with {@code Z}. Years beyond 9999 carry a sign; years before
     * our era are astronomical with a sign (1 BC is {@code +0000} in no form but {@code 0000}).
     */
    void text(LogicalType type, byte[] ascii, int from, int length);

    /** The server's own text of a type that has no logical one. */
    void other(byte[] utf8, int from, int length);

    void beginArray();

    void endArray();
}
