package io.tidegate.connector.postgres.value;

import io.tidegate.connector.postgres.wire.PgErrors;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Asks {@code pg_type}, once for each type and modifier. What is found is kept for good, because what decides how a type
 * is read never changes; a type that is missing is asked for again, since OIDs can be given anew.
 */
public final class SqlTypeCatalogue implements TypeCatalogue {

    private static final String QUERY = "SELECT t.typname, pg_catalog.format_type(t.oid, ?), t.typtype, t.typbasetype,"
            + " coalesce(e.oid, 0), t.typdelim"
            + " FROM pg_catalog.pg_type t LEFT JOIN pg_catalog.pg_type e ON e.typarray = t.oid"
            + " WHERE t.oid = CAST(? AS bigint)::pg_catalog.oid";

    private record Asked(int oid, int typmod) {}

    private final Supplier<Connection> control;
    private final Map<Asked, PgType> known = new HashMap<>();

    /**
     * Knows nothing yet.
     *
     * @param control gives the control connection of now, with pinned settings, in autocommit mode
     */
    public SqlTypeCatalogue(Supplier<Connection> control) {
        this.control = control;
    }

    @Override
    public PgType find(int oid, int typmod) {
        Asked asked = new Asked(oid, typmod);
        PgType type = known.get(asked);
        if (type != null) {
            return type;
        }
        try (PreparedStatement query = control.get().prepareStatement(QUERY)) {
            query.setInt(1, typmod);
            query.setLong(2, Integer.toUnsignedLong(oid));
            try (ResultSet rows = query.executeQuery()) {
                if (!rows.next()) {
                    return PgType.dropped(oid);
                }
                type = type(oid, rows);
                known.put(asked, type);
                return type;
            }
        } catch (SQLException e) {
            throw PgErrors.of(e, PgErrors.Doing.ASKING, "looking up type " + Integer.toUnsignedString(oid));
        }
    }

    private static PgType type(int oid, ResultSet row) throws SQLException {
        int base = (int) row.getLong(4);
        int element = (int) row.getLong(5);
        PgType.Kind kind = element != 0
                ? PgType.Kind.ARRAY
                : switch (row.getString(3)) {
                    case "b" -> PgType.Kind.BASE;
                    case "e" -> PgType.Kind.ENUM;
                    case "d" -> PgType.Kind.DOMAIN;
                    default -> PgType.Kind.OTHER;
                };
        int related = kind == PgType.Kind.ARRAY ? element : base;
        return new PgType(
                oid,
                row.getString(1),
                row.getString(2),
                kind,
                related,
                row.getString(6).charAt(0));
    }
}
