package io.tidegate.connector.postgres.pgoutput;

import io.tidegate.connector.postgres.wire.PgErrors;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Supplier;

/** Asks the catalogue, each time anew (rule 14). */
public final class SqlKeyCatalogue implements KeyCatalogue {

    /** Partitions are looked up by their inheritance: a function that lists them would wait for whoever has one locked. */
    private static final String QUERY =
            "WITH RECURSIVE leaf AS (SELECT c.oid, c.relkind, c.relreplident FROM pg_class c"
                    + " WHERE c.oid = CAST(? AS bigint)::oid UNION ALL SELECT c.oid, c.relkind, c.relreplident FROM leaf l"
                    + " JOIN pg_inherits h ON h.inhparent = l.oid AND l.relkind = 'p' JOIN pg_class c ON c.oid = h.inhrelid),"
                    + " identity AS (SELECT a.attname::text AS name, a.attnum, i.indisprimary, a.attgenerated <> '' AS generated,"
                    + " CASE c.relreplident WHEN 'i' THEN i.indisreplident WHEN 'd' THEN i.indisprimary ELSE false END AS used"
                    + " FROM pg_class c JOIN pg_index i ON i.indrelid = c.oid"
                    + " JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)"
                    + " WHERE c.oid = CAST(? AS bigint)::oid AND array_position(i.indkey::int2[], a.attnum) < i.indnkeyatts)"
                    + " SELECT ARRAY(SELECT name FROM identity WHERE indisprimary ORDER BY attnum),"
                    + " ARRAY(SELECT name FROM identity WHERE used AND generated ORDER BY attnum),"
                    + " NOT EXISTS (SELECT FROM leaf WHERE relkind = 'r' AND relreplident <> 'f')";

    private final Supplier<Connection> control;

    /**
     * Asks over a connection that can change from one question to the next.
     *
     * @param control gives the control connection of now, with pinned settings, in autocommit mode
     */
    public SqlKeyCatalogue(Supplier<Connection> control) {
        this.control = control;
    }

    @Override
    public Identity identity(int tableOid) {
        try (PreparedStatement query = control.get().prepareStatement(QUERY)) {
            query.setLong(1, Integer.toUnsignedLong(tableOid));
            query.setLong(2, Integer.toUnsignedLong(tableOid));
            try (ResultSet rows = query.executeQuery()) {
                return rows.next() ? new Identity(names(rows, 1), names(rows, 2), rows.getBoolean(3)) : Identity.NONE;
            }
        } catch (SQLException e) {
            throw PgErrors.of(
                    e, PgErrors.Doing.ASKING, "looking up the key of table " + Integer.toUnsignedString(tableOid));
        }
    }

    private static List<String> names(ResultSet row, int column) throws SQLException {
        return List.of((String[]) row.getArray(column).getArray());
    }
}
