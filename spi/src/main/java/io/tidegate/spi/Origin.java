package io.tidegate.spi;

/** Where a change stands in its source's history; each source has its own. Immutable. */
public interface Origin {

    /** Commit time, microseconds since 1970-01-01T00:00:00Z; for a snapshot read the time of its snapshot. */
    long committedAtMicros();

    /**
     * The ordinal: bytes whose unsigned order is the order of the changes of one log, inside transactions too. Empty
     * for changes that have none, such as snapshot reads.
     */
    byte[] ordinal();

    /** A short text of the place, for people and for the format {@code flat}. */
    String position();

    /** Gives the fields of a format's {@code source} block, in a fixed order. */
    void describe(FieldVisitor fields);

    /** Receives named fields. */
    interface FieldVisitor {
        void text(String name, String value);

        void number(String name, long value);

        void bool(String name, boolean value);
    }
}
