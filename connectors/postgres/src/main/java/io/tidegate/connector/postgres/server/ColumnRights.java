package io.tidegate.connector.postgres.server;

import io.tidegate.connector.postgres.server.Publication.Published;

/** Whether a role that may not read a whole table may read what a snapshot of it takes: columns, and those of the row filter. */
public final class ColumnRights {

    private static final String READABLE = "SELECT coalesce(bool_and(has_column_privilege(a.attrelid, a.attnum, 'SELECT')),"
            + " false) FROM pg_attribute a WHERE a.attrelid::bigint = ? AND a.attnum > 0 AND NOT a.attisdropped"
            + " AND (a.attname::text = ANY (CAST(? AS text[])) OR a.attname IN (SELECT n.attname FROM pg_depend d"
            + " JOIN pg_publication_rel r ON r.oid = d.objid JOIN pg_publication p ON p.oid = r.prpubid"
            + " JOIN pg_attribute n ON n.attrelid = d.refobjid AND n.attnum = d.refobjsubid"
            + " WHERE d.classid = 'pg_publication_rel'::regclass AND d.refclassid = 'pg_class'::regclass"
            + " AND p.pubname = ? AND d.refobjid::bigint = ?))";

    private ColumnRights() {}

    /**
     * Asks for one relation.
     *
     * @param table as the publication has it
     * @param leaf the relation that holds its rows: the table itself, or a partition
     */
    public static boolean suffice(SqlSession control, String publication, Published table, Relation leaf) {
        String[] columns = table.columns().toArray(String[]::new);
        return control.one(READABLE, row -> row.getBoolean(1), leaf.oid(), columns, publication, table.oid());
    }
}
