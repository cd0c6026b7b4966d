package io.tidegate.connector.postgres.value;

import io.tidegate.spi.LogicalType;
import io.tidegate.spi.ValueVisitor;

/** Reads the text of one type, as the server prints it under the pinned session settings. Any thread. */
public interface ValueReader {

    /** The logical type of what it gives. */
    LogicalType type();

    /**
     * Gives the value in canonical form, by one call of the visitor, or one balanced sequence of calls for an array.
     *
     * @throws UnreadableTextException the text is none of this type
     */
    void read(byte[] data, int from, int length, ValueVisitor visitor);
}
