package io.tidegate.connector.postgres.pgoutput;

import io.tidegate.connector.postgres.wire.PgErrors;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Asks {@code pg_index}, each time anew (rule 14). */
public final class SqlKeyCatalogue implements KeyCatalogue {

    private static final String QUERY = "SELECT a.attname FROM pg_catalog.pg_index i"
            + " JOIN pg_catalog.pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)"
            + " WHERE i.indisprimary AND i.indrelid = CAST(? AS bigint)::pg_catalog.oid"
            + " AND array_position(i.indkey::int2[], a.attnum) < i.indnkeyatts ORDER BY a.attnum";

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
    public List<String> primaryKey(int tableOid) {
        try (PreparedStatement query = control.get().prepareStatement(QUERY)) {
            query.setLong(1, Integer.toUnsignedLong(tableOid));
            List<String> names = new ArrayList<>();
            try (ResultSet rows = query.executeQuery()) {
                while (rows.next()) {
                    names.add(rows.getString(1));
                }
            }
            return names;
        } catch (SQLException e) {
            throw PgErrors.of(
                    e, PgErrors.Doing.ASKING, "looking up the key of table " + Integer.toUnsignedString(tableOid));
        }
    }
}
