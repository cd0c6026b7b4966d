package io.tidegate.spi;

import java.util.List;

/**
 * A table as it was when a change to it was made. Travels with each change by reference; a changed table is another
 * object with a higher version. Immutable.
 *
 * @param namespace the schema, database or keyspace that holds the table, unquoted
 * @param name unquoted
 * @param key indexes into {@code columns} of what identifies a row, in key order; empty if nothing does
 * @param version counts up within a session, whenever the source sees another shape
 */
public record TableSchema(String namespace, String name, List<Column> columns, List<Integer> key, int version) {

    public TableSchema {
        columns = List.copyOf(columns);
        key = List.copyOf(key);
        for (int index : key) {
            if (index < 0 || index >= columns.size()) {
                throw new IllegalArgumentException("key column " + index + " of " + namespace + "." + name
                        + " does not exist: the table has " + columns.size() + " columns");
            }
        }
    }

    public boolean keyed() {
        return !key.isEmpty();
    }

    /** Namespace and name, unquoted, for people; two tables can print alike. */
    public String display() {
        return namespace + "." + name;
    }
}
