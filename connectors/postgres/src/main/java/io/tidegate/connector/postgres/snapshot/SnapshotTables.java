package io.tidegate.connector.postgres.snapshot;

import io.tidegate.connector.postgres.server.Publication;
import io.tidegate.connector.postgres.server.Publication.Published;
import io.tidegate.connector.postgres.server.SqlSession;
import io.tidegate.connector.postgres.value.RelationShape;
import io.tidegate.connector.postgres.value.RelationShape.ColumnShape;
import io.tidegate.connector.postgres.value.SqlTypeCatalogue;
import io.tidegate.connector.postgres.value.TableShape;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.TidegateException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Describes tables for a snapshot with the columns, the key and the row filter that the stream has. */
public final class SnapshotTables {

    private static final String COLUMNS = "SELECT attname, atttypid::bigint, atttypmod FROM pg_attribute"
            + " WHERE attrelid::bigint = ? AND attnum > 0 AND NOT attisdropped";

    /** What identifies a row, by the rules of the identity byte in a Relation message (rule 14). */
    private static final String KEY = "SELECT a.attname FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid"
            + " JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)"
            + " WHERE c.oid::bigint = ? AND CASE c.relreplident WHEN 'i' THEN i.indisreplident"
            + " WHEN 'd' THEN i.indisprimary AND i.indimmediate ELSE i.indisprimary END"
            + " AND array_position(i.indkey::int2[], a.attnum) < i.indnkeyatts";

    private static final String TABLE_ORDER = " ORDER BY a.attnum";
    private static final String INDEX_ORDER = " ORDER BY array_position(i.indkey::int2[], a.attnum)";

    private final @Nullable String publication;

    /**
     * Tables as one publication has them.
     *
     * @param publication null: without one, all columns that are not generated
     */
    public SnapshotTables(@Nullable String publication) {
        this.publication = publication;
    }

    /** Whether a literal can be compared with each column of a key without knowing more than the server's own operators. */
    static boolean comparesByCatalogue(SqlSession session, Published table, List<String> key) {
        return session.one(
                "SELECT bool_and(t.typtype = 'e' OR t.typnamespace = 'pg_catalog'::regnamespace"
                        + " OR (t.typtype = 'd' AND b.typnamespace = 'pg_catalog'::regnamespace))"
                        + " FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid LEFT JOIN pg_type b ON b.oid ="
                        + " t.typbasetype WHERE a.attrelid::bigint = ? AND a.attname = ANY (CAST(? AS text[]))"
                        + " AND NOT a.attisdropped",
                row -> row.getBoolean(1),
                table.oid(),
                key.toArray(String[]::new));
    }

    public Published find(SqlSession session, long table) {
        if (publication == null) {
            return Publication.unpublished(session, table);
        }
        Published published = Publication.find(session, publication)
                .map(found -> found.tables().get(table))
                .orElse(null);
        if (published == null) {
            throw new TidegateException(
                    ErrorCode.TABLES_CHANGED, "table " + table + " is not in publication " + publication + " any more");
        }
        return published;
    }

    public TableShape shape(SqlSession session, Published table) {
        Map<String, ColumnShape> byName = new HashMap<>();
        session.query(
                        COLUMNS,
                        row -> new ColumnShape(row.getString(1), (int) row.getLong(2), row.getInt(3)),
                        table.oid())
                .forEach(column -> byName.put(column.name(), column));
        List<ColumnShape> columns = new ArrayList<>();
        for (String name : table.columns()) {
            ColumnShape column = byName.get(name);
            if (column == null) {
                throw new TidegateException(
                        ErrorCode.TABLE_REWRITTEN, table.display() + " lost its column " + name + " meanwhile");
            }
            columns.add(column);
        }
        List<Integer> key = new ArrayList<>();
        for (String name : session.query(KEY + TABLE_ORDER, row -> row.getString(1), table.oid())) {
            key.add(table.columns().indexOf(name));
        }
        if (key.contains(-1)) {
            key.clear();
        }
        RelationShape relation = new RelationShape((int) table.oid(), table.schema(), table.name(), columns, key);
        return TableShape.of(relation, new SqlTypeCatalogue(session::connection), 1);
    }

    /** The columns that identify a row, in the order of their index; none if there are none, or one is not published. */
    static List<String> key(SqlSession session, Published table) {
        List<String> key = session.query(KEY + INDEX_ORDER, row -> row.getString(1), table.oid());
        return table.columns().containsAll(key) ? key : List.of();
    }
}
