package io.tidegate.connector.jdbc;

import java.sql.SQLException;
import java.util.List;

/** The statements of one connection that write rows. Columns are given by their indexes in the table. */
interface RowWriter extends AutoCloseable {

    /** Inserts rows that have different keys, or updates those that are there; never a row with another key. */
    void put(TargetTable table, List<Integer> columns, List<Object[]> images) throws SQLException;

    /**
     * Whether {@link #insert} is cheaper than {@link #put} for these columns, and leaves the same rows where none of them was
     * there.
     */
    default boolean inserts(TargetTable table, List<Integer> columns) {
        return false;
    }

    /** Inserts rows, none of which is there; one that is there is refused, and all with it. */
    default void insert(TargetTable table, List<Integer> columns, List<Object[]> images) throws SQLException {
        put(table, columns, images);
    }

    /** Updates rows that have different keys; gives how many were there. */
    int patch(TargetTable table, List<Integer> columns, List<Object[]> images) throws SQLException;

    void remove(TargetTable table, List<Object[]> keys) throws SQLException;

    /**
     * If a row with the new key is there, updates it and deletes the one with the old key; else updates that one, key
     * included. Two keys that the target takes for one are one row.
     *
     * @return false: neither is there
     */
    boolean rekey(TargetTable table, List<Integer> columns, Object[] image, Object[] oldKey) throws SQLException;

    /** Inserts rows, whatever is there; all columns are known. */
    void append(TargetTable table, List<Object[]> images) throws SQLException;

    /** Empties tables, as one step. */
    void truncate(List<TargetTable> tables) throws SQLException;

    @Override
    void close();
}
