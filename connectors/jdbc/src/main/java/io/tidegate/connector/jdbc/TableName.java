package io.tidegate.connector.jdbc;

/**
 * A table at the target, unquoted.
 *
 * @param schema of MariaDB the database; empty: where the session's statements look first
 */
record TableName(String schema, String name) {

    /** For people; two tables can print alike. */
    String display() {
        return schema.isEmpty() ? name : schema + "." + name;
    }

    @Override
    public String toString() {
        return display();
    }
}
