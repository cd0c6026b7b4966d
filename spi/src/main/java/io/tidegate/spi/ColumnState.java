package io.tidegate.spi;

/** What a row knows of one column. Null, absent and unchanged stay three things, up to the sink (I16). */
public enum ColumnState {
    VALUE,
    NULL,
    /** The column kept its value, and the log does not say which. */
    UNCHANGED,
    /** This row does not carry the column: an old row of which only the key was logged, say. */
    ABSENT
}
