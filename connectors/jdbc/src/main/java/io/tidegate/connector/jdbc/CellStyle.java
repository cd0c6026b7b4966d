package io.tidegate.connector.jdbc;

import io.tidegate.spi.LogicalType;

/** How one kind of database takes values. Without state. */
interface CellStyle {

    String bool(boolean value);

    /** Raw bytes as a cell, for a column of kind {@link TargetColumn.Kind#BYTES} or for a text. */
    Object bytes(byte[] raw, int from, int length, TargetColumn column);

    /** A date or time that goes into a column of its kind. */
    String temporal(LogicalType type, String iso, TargetColumn column);

    /** Whether a text can be stored at all. */
    void checkText(String text);

    /** Whether a column holds NaN and the infinities. */
    boolean nonFinite(TargetColumn column);

    /** Whether arrays are written as JSON. */
    boolean jsonArrays();

    /** Whether a point in time may go into a column without zone, which then is in UTC. */
    boolean zonedIntoPlain();
}
