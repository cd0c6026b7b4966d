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

    /** Of a snapshot's read or its first truncate the number of the attempt at the table, from 1; 0 for changes of a log. */
    default int attempt() {
        return 0;
    }

    /**
     * Whether rows of the table may have been read later than this change was made: then its old state may be missing at
     * the target, and an update of a row that is not there is no error.
     */
    default boolean catchUp() {
        return false;
    }

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
