package io.tidegate.connector.postgres.snapshot;

import io.tidegate.connector.postgres.server.Relation;
import io.tidegate.connector.postgres.server.Sql;
import io.tidegate.connector.postgres.server.SqlSession;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.TidegateException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Finds keys that cut one relation into parts of about the same size (rule 7). Rows of a correlated column lie about in
 * the column's order, so the rows at every n-th page are such keys, and nothing has to be sorted but them.
 */
final class KeyBounds {

    /** So many pages are looked at for a row; if they hold none, the chunk before grows. */
    private static final long PAGES_PER_PROBE = 32;

    /** A statement must be answered in the time that the control connection gives it, from a slow disk as well. */
    private static final long PROBES_PER_STATEMENT = 200;

    /** A longer value is no bound: bounds are stored. */
    private static final int BOUND_BYTES_MAX = 1_000;

    /**
     * Gives a row if the column can be cut by: its order in our conditions is that of an index and of the statistics, its text
     * means the same value again, and the statistics say that rows lie in its order. Operators of types that are not the
     * server's own are not on our search path; the text of a {@code reg...} type is a name that can change.
     */
    private static final String LEADING = "SELECT pg_catalog.format_type(t.oid, -1),"
            + " CASE WHEN a.attcollation <> 0 THEN ' COLLATE ' || pg_catalog.quote_ident(cn.nspname) || '.'"
            + "  || pg_catalog.quote_ident(c.collname) ELSE '' END"
            + " FROM pg_attribute a JOIN pg_type d ON d.oid = a.atttypid"
            + " JOIN pg_type t ON t.oid = CASE d.typtype WHEN 'd' THEN d.typbasetype ELSE d.oid END"
            + " JOIN pg_namespace tn ON tn.oid = t.typnamespace"
            + " LEFT JOIN pg_collation c ON c.oid = a.attcollation LEFT JOIN pg_namespace cn ON cn.oid = c.collnamespace"
            + " WHERE a.attrelid::bigint = ? AND a.attname = ? AND a.attnotnull"
            + " AND NOT EXISTS (SELECT FROM pg_constraint n WHERE n.conrelid = a.attrelid AND n.contype = 'n'"
            + "  AND NOT n.convalidated AND a.attnum = ANY (n.conkey))"
            + " AND (t.typtype = 'e' OR t.typtype = 'b' AND tn.nspname = 'pg_catalog' AND t.typname !~ '^_?reg')"
            + " AND (a.attcollation = 0 OR t.typcollation IN (a.attcollation, 100))" // 100: the database's own
            + " AND getdatabaseencoding() <> 'SQL_ASCII'"
            + " AND EXISTS (SELECT FROM pg_index i JOIN pg_class ic ON ic.oid = i.indexrelid"
            + "  JOIN pg_am m ON m.oid = ic.relam JOIN pg_opclass o ON o.oid = i.indclass[0]"
            + "  JOIN pg_namespace n ON n.oid = o.opcnamespace WHERE i.indrelid = a.attrelid AND i.indisvalid"
            + "  AND i.indpred IS NULL AND i.indkey[0] = a.attnum AND i.indcollation[0] = a.attcollation"
            + "  AND m.amname = 'btree' AND o.opcdefault AND n.nspname = 'pg_catalog')"
            + " AND EXISTS (SELECT FROM pg_stats s WHERE s.schemaname = ? AND s.tablename = ? AND s.attname = a.attname"
            + "  AND NOT s.inherited AND s.correlation > 0.9)";

    /** An invalid text, a type that is gone. */
    private static final String DATA_EXCEPTION = "22";

    private static final String UNDEFINED_OBJECT = "42704";

    private final SqlSession control;
    private final Relation leaf;
    private final String column;
    private final String type;
    private final String collate;

    private KeyBounds(SqlSession control, Relation leaf, String column, String type, String collate) {
        this.control = control;
        this.leaf = leaf;
        this.column = column;
        this.type = type;
        this.collate = collate;
    }

    /**
     * Asks whether a relation can be cut by a column.
     *
     * @param column the leading column of its table's key
     */
    static Optional<KeyBounds> find(SqlSession control, Relation leaf, String column) {
        return control.find(
                LEADING,
                row -> new KeyBounds(control, leaf, column, row.getString(1), row.getString(2)),
                leaf.oid(),
                column,
                leaf.schema(),
                leaf.name());
    }

    /**
     * The ranges of a relation.
     *
     * @param pages how many it has
     * @param step pages of a chunk
     * @return none if its values are too few to cut by: chunks could then be of any size
     */
    List<Chunk.Range> ranges(long pages, long step) {
        List<String> found = new ArrayList<>();
        for (long first = step; first < pages; first += step * PROBES_PER_STATEMENT) {
            long last = Math.min(pages - 1, first + step * (PROBES_PER_STATEMENT - 1));
            found.addAll(probe(first, last, step));
        }
        List<String> bounds = found.isEmpty() ? found : sorted(found);
        if (bounds.isEmpty() || 2 * bounds.size() < found.size()) {
            return List.of();
        }
        List<Chunk.Range> ranges = new ArrayList<>();
        for (int i = 0; i <= bounds.size(); i++) {
            ranges.add(new Chunk.Keys(
                    column, type, i == 0 ? null : bounds.get(i - 1), i == bounds.size() ? null : bounds.get(i)));
        }
        return ranges;
    }

    /** Output functions are asked for the text, not casts: a cast of some types gives another one. */
    private List<String> probe(long first, long last, long step) {
        String sql = "SELECT pg_catalog.format('%s', probe.bound) FROM pg_catalog.generate_series(" + first
                + "::bigint, "
                + last + ", " + step + ") page CROSS JOIN LATERAL (SELECT " + Sql.name(column) + " AS bound FROM ONLY "
                + leaf.sql() + " WHERE ctid >= pg_catalog.format('(%s,0)', page)::pg_catalog.tid"
                + " AND ctid < pg_catalog.format('(%s,0)', page + " + Math.min(step, PAGES_PER_PROBE)
                + ")::pg_catalog.tid LIMIT 1) probe"
                + " WHERE pg_catalog.octet_length(pg_catalog.format('%s', probe.bound)) <= " + BOUND_BYTES_MAX;
        return control.query(sql, row -> row.getString(1));
    }

    private List<String> sorted(List<String> found) {
        String values = found.stream()
                .map(value -> "(" + Chunk.Keys.constant(value, type) + ")")
                .collect(Collectors.joining(", "));
        String sql = "SELECT pg_catalog.format('%s', bound) FROM (SELECT DISTINCT bound" + collate
                + " AS bound FROM (VALUES " + values + ") found (bound)) bounds ORDER BY bound";
        return withoutValues(leaf.sql(), () -> control.query(sql, row -> row.getString(1)));
    }

    /** Sees that the bounds can be read as values of their type, so that nothing later complains of one. */
    static void check(SqlSession session, String leaf, Chunk.Keys keys) {
        if (!keys.constants().isEmpty()) {
            withoutValues(
                    leaf,
                    () -> session.query("SELECT " + String.join(", ", keys.constants()), row -> row.getString(1)));
        }
    }

    /** The server's complaint of a bound shows it: it is left out, and so is the cause. */
    private static <T> T withoutValues(String leaf, Supplier<T> statement) {
        try {
            return statement.get();
        } catch (TidegateException e) {
            String state = e.getCause() instanceof SQLException cause ? String.valueOf(cause.getSQLState()) : "";
            if (state.startsWith(DATA_EXCEPTION) || state.equals(UNDEFINED_OBJECT)) {
                throw new TidegateException(
                        ErrorCode.TABLE_REWRITTEN,
                        "the chunks of " + leaf
                                + " were cut by values that are none of the key's type any more (SQLSTATE " + state
                                + ")");
            }
            throw e;
        }
    }
}
