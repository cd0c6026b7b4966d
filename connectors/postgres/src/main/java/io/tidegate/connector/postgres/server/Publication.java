package io.tidegate.connector.postgres.server;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A publication, as the catalogue has it.
 *
 * @param allTables {@code puballtables}
 * @param operations those that are published, of insert, update, delete, truncate, in this order
 * @param viaRoot {@code pubviaroot}
 * @param tables what the stream carries, by OID
 */
public record Publication(
        long oid,
        String name,
        boolean allTables,
        List<String> operations,
        boolean viaRoot,
        Map<Long, Published> tables) {

    private static final int VERSION_15 = 150000;
    private static final int VERSION_18 = 180000;
    private static final int OPERATIONS = 4;

    /**
     * A table of a publication.
     *
     * @param columns that the stream carries, in their order
     * @param rowFilter an SQL condition, or null
     */
    public record Published(
            long oid,
            String schema,
            String name,
            List<String> columns,
            @Nullable String rowFilter) {
        public String sql() {
            return Sql.name(schema, name);
        }

        public String display() {
            return schema + "." + name;
        }
    }

    /** With its tables: from 16 on the server locks each of them for a moment, and so waits for whoever has one locked. */
    public static Optional<Publication> find(SqlSession control, String name) {
        return withoutTables(control, name)
                .map(found -> new Publication(
                        found.oid, name, found.allTables, found.operations, found.viaRoot, published(control, name)));
    }

    /** With {@link #tables} empty; waits for nobody. */
    public static Optional<Publication> withoutTables(SqlSession control, String name) {
        return control.find(
                "SELECT oid::bigint, puballtables, pubinsert, pubupdate, pubdelete, pubtruncate, pubviaroot"
                        + " FROM pg_publication WHERE pubname = ?",
                row -> {
                    List<String> operations = new ArrayList<>();
                    List<String> names = List.of("insert", "update", "delete", "truncate");
                    for (int i = 0; i < OPERATIONS; i++) {
                        if (row.getBoolean(3 + i)) {
                            operations.add(names.get(i));
                        }
                    }
                    return new Publication(
                            row.getLong(1), name, row.getBoolean(2), operations, row.getBoolean(7), Map.of());
                },
                name);
    }

    /** Columns and row filters are those that the server's own decoder uses, so that a snapshot's rows equal the stream's. */
    private static Map<Long, Published> published(SqlSession control, String publication) {
        int version = version(control);
        String chosen = version >= VERSION_15 ? "p.attnames IS NULL OR a.attname = ANY (p.attnames)" : "true";
        // Before 18 generated columns are never in the stream, whatever the view says.
        String generated = version >= VERSION_18 ? "true" : "a.attgenerated = ''";
        String sql = "SELECT c.oid::bigint, n.nspname, c.relname, " + (version >= VERSION_15 ? "p.rowfilter" : "NULL")
                + ", ARRAY(SELECT a.attname::text FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0"
                + " AND NOT a.attisdropped AND (" + chosen + ") AND " + generated + " ORDER BY a.attnum)"
                + " FROM pg_publication_tables p JOIN pg_namespace n ON n.nspname = p.schemaname"
                + " JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = p.tablename WHERE p.pubname = ?";
        Map<Long, Published> tables = new HashMap<>();
        control.query(sql, row -> published(row), publication).forEach(table -> tables.put(table.oid(), table));
        return Map.copyOf(tables);
    }

    /** A table as a snapshot without any publication reads it. */
    public static Published unpublished(SqlSession control, long table) {
        String sql =
                "SELECT c.oid::bigint, n.nspname, c.relname, NULL, ARRAY(SELECT a.attname::text FROM pg_attribute a"
                        + " WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''"
                        + " ORDER BY a.attnum)"
                        + " FROM pg_class c JOIN pg_namespace n ON c.relnamespace = n.oid WHERE c.oid::bigint = ?";
        return control.one(sql, row -> published(row), table);
    }

    /** Whether our role owns it, and it is exactly what {@link #create} makes of these tables. */
    public static boolean madeByUs(SqlSession control, String name, List<Relation> tables) {
        int version = version(control);
        String plain = version >= VERSION_15
                ? " AND NOT EXISTS (SELECT FROM pg_publication_namespace s WHERE s.pnpubid = p.oid)"
                        + " AND NOT EXISTS (SELECT FROM pg_publication_rel r WHERE r.prpubid = p.oid"
                        + " AND (r.prqual IS NOT NULL OR r.prattrs IS NOT NULL))"
                : "";
        String sql = "SELECT pg_get_userbyid(p.pubowner) = current_user AND NOT p.puballtables AND p.pubinsert AND"
                + " p.pubupdate AND p.pubdelete AND p.pubtruncate AND p.pubviaroot" + plain
                + ", ARRAY(SELECT r.prrelid::bigint FROM pg_publication_rel r WHERE r.prpubid = p.oid)"
                + " FROM pg_publication p WHERE p.pubname = ?";
        Set<Object> ours = tables.stream().map(Relation::oid).collect(Collectors.toSet());
        return control.one(
                sql,
                row -> row.getBoolean(1)
                        && ours.equals(Set.of((Object[]) row.getArray(2).getArray())),
                name);
    }

    private static Published published(java.sql.ResultSet row) throws java.sql.SQLException {
        return new Published(
                row.getLong(1),
                row.getString(2),
                row.getString(3),
                List.of((String[]) row.getArray(5).getArray()),
                row.getString(4));
    }

    static int version(SqlSession control) {
        return control.one("SHOW server_version_num", row -> row.getInt(1));
    }

    /** The operations that it leaves out. */
    public List<String> left() {
        List<String> left = new ArrayList<>(List.of("insert", "update", "delete", "truncate"));
        left.removeAll(operations);
        return left;
    }

    public boolean needsIdentity() {
        return operations.contains("update") || operations.contains("delete");
    }

    /** The statement that puts tables into a publication. */
    public static String add(String name, List<Relation> tables) {
        return "ALTER PUBLICATION " + Sql.name(name) + " ADD TABLE ONLY " + list(tables, ", ONLY ");
    }

    /** The statement that takes tables out of a publication. */
    public static String drop(String name, List<Relation> tables) {
        return "ALTER PUBLICATION " + Sql.name(name) + " DROP TABLE " + list(tables, ", ");
    }

    private static String list(List<Relation> tables, String between) {
        return String.join(between, tables.stream().map(Relation::sql).toList());
    }

    /**
     * The statement that makes a publication of these tables and of none that inherit from them: those are tables of their
     * own, without the parent's key, and a publication would make their updates fail.
     */
    public static String create(String name, List<Relation> tables) {
        return "CREATE PUBLICATION " + Sql.name(name) + " FOR TABLE ONLY " + list(tables, ", ONLY ")
                + " WITH (publish = 'insert, update, delete, truncate', publish_via_partition_root = true)";
    }
}
