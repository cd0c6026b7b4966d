package io.tidegate.connector.postgres.server;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * A relation of the user's, as the catalogue has it.
 *
 * @param kind as in {@code relkind}
 * @param persistence {@code p}, {@code u} for unlogged, {@code t} for temporary
 * @param identity {@code relreplident}
 * @param identifies whether its replica identity can identify a row
 * @param owned whether our role has the rights of its owner
 * @param usage whether our role may use its schema
 * @param select whether our role may read it
 * @param ancestors OIDs of the partitioned tables that it is a part of
 */
public record Relation(
        long oid,
        String schema,
        String name,
        char kind,
        char persistence,
        char identity,
        boolean identifies,
        boolean owned,
        boolean usage,
        boolean select,
        List<Long> ancestors) {

    private static final String ALL = "SELECT c.oid::bigint, n.nspname, c.relname, c.relkind, c.relpersistence,"
            + " c.relreplident,"
            + " CASE c.relreplident WHEN 'f' THEN true WHEN 'n' THEN false"
            + "  WHEN 'i' THEN EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisreplident)"
            + "  ELSE EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisprimary"
            + "   AND i.indimmediate) END,"
            + " pg_has_role(c.relowner, 'USAGE'), has_schema_privilege(n.oid, 'USAGE'),"
            + " has_table_privilege(c.oid, 'SELECT'),"
            + " CASE WHEN c.relispartition THEN ARRAY(SELECT a.relid::oid::bigint FROM"
            + "  pg_partition_ancestors(c.oid) a WHERE a.relid <> c.oid) ELSE '{}' END"
            + " FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
            + " WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname NOT IN ('pg_catalog', 'information_schema')"
            + " AND n.nspname !~ '^pg_toast' ORDER BY n.nspname, c.relname, c.oid";

    public Relation {
        ancestors = List.copyOf(ancestors);
    }

    /** All relations that hold rows or could be taken for one that does, in the order of their names. */
    public static List<Relation> all(SqlSession control) {
        return control.query(ALL, Relation::read);
    }

    private static Relation read(ResultSet row) throws SQLException {
        List<Long> ancestors = new ArrayList<>();
        for (Object oid : (Object[]) row.getArray(11).getArray()) {
            ancestors.add((Long) oid);
        }
        return new Relation(
                row.getLong(1),
                row.getString(2),
                row.getString(3),
                row.getString(4).charAt(0),
                row.getString(5).charAt(0),
                row.getString(6).charAt(0),
                row.getBoolean(7),
                row.getBoolean(8),
                row.getBoolean(9),
                row.getBoolean(10),
                ancestors);
    }

    /** Whether it is a table whose changes are logged: an ordinary or a partitioned one, neither temporary nor unlogged. */
    public boolean logged() {
        return (kind == 'r' || kind == 'p') && persistence == 'p';
    }

    public boolean partitioned() {
        return kind == 'p';
    }

    /** What it is, in words. */
    public String kindName() {
        return switch (kind) {
            case 'v' -> "a view";
            case 'm' -> "a materialized view";
            case 'f' -> "a foreign table";
            default -> persistence == 'u' ? "an unlogged table" : persistence == 't' ? "a temporary table" : "a table";
        };
    }

    public String sql() {
        return Sql.name(schema, name);
    }

    public String display() {
        return schema + "." + name;
    }
}
