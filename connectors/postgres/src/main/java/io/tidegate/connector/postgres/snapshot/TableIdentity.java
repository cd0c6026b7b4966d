package io.tidegate.connector.postgres.snapshot;

import io.tidegate.connector.postgres.server.Publication.Published;
import io.tidegate.connector.postgres.server.Relation;
import io.tidegate.connector.postgres.server.SqlSession;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * What must stay as it is for rows that were read under one snapshot to fit those read under a later one: the table and its
 * name, the files of its leaves, the published columns with their types and labels, the row filter, the key and its order.
 * Inserts, updates, deletes, VACUUM and ANALYZE change none of it.
 */
final class TableIdentity {

    private static final int VERSION_15 = 150000;

    private static final String COLUMNS = "SELECT a.attnum::text, a.attname::text, a.atttypid::text, a.atttypmod::text,"
            + " pg_catalog.format_type(a.atttypid, a.atttypmod),"
            + " (SELECT pg_catalog.array_agg(e.enumlabel ORDER BY e.enumsortorder)::text FROM pg_enum e"
            + "  WHERE e.enumtypid IN (t.oid, t.typbasetype, t.typelem))"
            + " FROM pg_attribute a LEFT JOIN pg_type t ON t.oid = a.atttypid"
            + " WHERE a.attrelid::bigint = ? AND a.attnum > 0 AND NOT a.attisdropped"
            + " AND a.attname::text = ANY (CAST(? AS text[])) ORDER BY a.attnum";

    /** The versions of a collation, recorded and provided: another one may be another order. */
    private static final String COLLATIONS =
            "SELECT a.attname::text, a.attcollation::text, c.collname::text, c.collversion,"
                    + " pg_catalog.pg_collation_actual_version(c.oid) FROM pg_attribute a"
                    + " JOIN pg_collation c ON c.oid = a.attcollation WHERE a.attrelid::bigint = ? AND a.attnum > 0"
                    + " AND NOT a.attisdropped AND a.attname::text = ANY (CAST(? AS text[])) ORDER BY a.attnum";

    private static final String DATABASE = "SELECT datcollate::text, datctype::text";
    private static final String THIS_DATABASE = " FROM pg_database WHERE datname = current_database()";
    private static final String DATABASE_SINCE_15 =
            ", datcollversion, pg_catalog.pg_database_collation_actual_version(oid)";

    private static final String FILES = "SELECT oid::text, relfilenode::text FROM pg_class"
            + " WHERE oid::bigint = ANY (CAST(? AS bigint[])) ORDER BY oid";

    private TableIdentity() {}

    /**
     * Reads it from the catalogue.
     *
     * @param key columns in the order of their index
     * @return a digest
     */
    static String of(SqlSession control, Published table, List<String> key, List<Relation> leaves) {
        Object[] ofColumns = {table.oid(), table.columns().toArray(String[]::new)};
        Object[] ofKey = {table.oid(), key.toArray(String[]::new)};
        Long[] oids = leaves.stream().map(Relation::oid).toArray(Long[]::new);
        boolean versions = control.one("SHOW server_version_num", row -> row.getInt(1)) >= VERSION_15;
        String database = DATABASE + (versions ? DATABASE_SINCE_15 : "") + THIS_DATABASE;
        List<Object> parts = new ArrayList<>();
        parts.add(List.of(Long.toString(table.oid()), table.schema(), table.name()));
        parts.add(table.columns());
        parts.add(List.of(String.valueOf(table.rowFilter())));
        parts.add(key);
        parts.add(control.query(COLUMNS, TableIdentity::texts, ofColumns));
        parts.add(control.query(COLLATIONS, TableIdentity::texts, ofKey));
        parts.add(control.query(database, TableIdentity::texts));
        parts.add(control.query(FILES, TableIdentity::texts, new Object[] {oids}));
        StringBuilder text = new StringBuilder();
        write(parts, text);
        return digest(text.toString());
    }

    private static List<String> texts(ResultSet row) throws SQLException {
        List<String> texts = new ArrayList<>();
        for (int i = 1; i <= row.getMetaData().getColumnCount(); i++) {
            texts.add(String.valueOf(row.getString(i)));
        }
        return texts;
    }

    /** With lengths before texts and lists, so that no two identities have one text. */
    private static void write(Object part, StringBuilder text) {
        if (part instanceof List<?> list) {
            text.append(list.size()).append('[');
            list.forEach(element -> write(element, text));
        } else {
            String element = (String) part;
            text.append(element.length()).append(':').append(element);
        }
    }

    private static String digest(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
