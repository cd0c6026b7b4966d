package io.tidegate.connector.jdbc;

import io.tidegate.connector.jdbc.Dialect.Description;
import io.tidegate.connector.jdbc.Dialect.UniqueKey;
import io.tidegate.connector.jdbc.TargetColumn.Kind;
import io.tidegate.connector.jdbc.TargetColumn.Limits;
import java.sql.Array;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What PostgreSQL's catalogue says of a table. Types are named as the source names them, with an empty search_path, so that
 * equal names are equal types.
 */
final class PostgresCatalogue {

    private static final String COLUMNS = """
            SELECT c.oid, a.attname, format_type(a.atttypid, a.atttypmod) AS display,
                   quote_ident(base.nspname) || '.' || quote_ident(base.typname) AS cast_type,
                   tn.nspname = 'pg_catalog' AS built_in, t.typname, t.typtype, t.typcategory, a.atttypmod,
                   a.attgenerated <> '' AS computed,
                   a.attnotnull AND NOT a.atthasdef AND a.attidentity = '' AS required,
                   a.attidentity = 'a' AS always,
                   coalesce(co.collisdeterministic, true) AND NOT EXISTS (
                     SELECT 1 FROM pg_index i
                     CROSS JOIN unnest(i.indkey::int2[], i.indcollation::oid[]) AS k(attnum, sorted_by)
                     JOIN pg_collation kc ON kc.oid = k.sorted_by
                     WHERE i.indrelid = c.oid AND i.indisunique AND k.attnum = a.attnum AND NOT kc.collisdeterministic
                   ) AS deterministic
            FROM pg_class c
            JOIN pg_namespace n ON n.oid = c.relnamespace
            JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
            JOIN pg_type t ON t.oid = a.atttypid
            JOIN pg_namespace tn ON tn.oid = t.typnamespace
            CROSS JOIN LATERAL (
              WITH RECURSIVE base AS (
                SELECT t.oid UNION ALL
                SELECT d.typbasetype FROM base JOIN pg_type d ON d.oid = base.oid WHERE d.typtype = 'd')
              SELECT b.typname, bn.nspname FROM base JOIN pg_type b ON b.oid = base.oid
              JOIN pg_namespace bn ON bn.oid = b.typnamespace WHERE b.typtype <> 'd') AS base
            LEFT JOIN pg_collation co ON co.oid = a.attcollation
            WHERE n.nspname = ? AND c.relname = ? AND c.relkind IN ('r', 'p')
            ORDER BY a.attnum""";

    private static final String UNIQUES = """
            SELECT ic.relname, array_agg(a.attname::text ORDER BY k.place)
            FROM pg_index i
            JOIN pg_class ic ON ic.oid = i.indexrelid
            CROSS JOIN unnest(i.indkey::int2[]) WITH ORDINALITY AS k(attnum, place)
            LEFT JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum
            WHERE i.indrelid = ?::oid AND i.indisunique AND i.indisvalid AND k.place <= i.indnkeyatts
              AND %s (i.indimmediate AND i.indpred IS NULL AND i.indexprs IS NULL)
            GROUP BY ic.relname, i.indisprimary ORDER BY i.indisprimary DESC, ic.relname""";

    private static final Set<String> TEXTS = Set.of("text", "varchar", "bpchar");

    private final Connection connection;

    PostgresCatalogue(Connection connection) {
        this.connection = connection;
    }

    /** Whether a type of this name exists, as the source spells it. */
    static boolean knows(Connection connection, String type) throws SQLException {
        return withEmptyPath(connection, () -> {
            Savepoint before = connection.setSavepoint();
            try {
                return Sql.one(connection, "SELECT to_regtype(?) IS NOT NULL", row -> row.getBoolean(1), type);
            } catch (SQLException e) {
                connection.rollback(
                        before); // not the name of a type at all: of one that was dropped at the source, say
                return false;
            }
        });
    }

    private interface Question<T> {
        T ask() throws SQLException;
    }

    private static <T> T withEmptyPath(Connection connection, Question<T> question) throws SQLException {
        boolean alone = connection.getAutoCommit();
        connection.setAutoCommit(false);
        try {
            Sql.execute(connection, "SET LOCAL search_path = ''");
            return question.ask();
        } finally {
            connection.rollback();
            connection.setAutoCommit(alone);
        }
    }

    Optional<Description> describe(TableName name) throws SQLException {
        return withEmptyPath(connection, () -> read(name));
    }

    private Optional<Description> read(TableName name) throws SQLException {
        List<TargetColumn> columns = new ArrayList<>();
        List<String> required = new ArrayList<>();
        List<String> inexact = new ArrayList<>();
        List<String> folding = new ArrayList<>();
        List<String> always = new ArrayList<>();
        List<Long> oid = Sql.list(
                connection,
                COLUMNS,
                row -> {
                    TargetColumn column = column(row);
                    columns.add(column);
                    if (row.getBoolean("required")) {
                        required.add(column.name());
                    }
                    if (!exact(column, row)) {
                        inexact.add(column.name());
                    }
                    if (!row.getBoolean("deterministic")) {
                        folding.add(column.name());
                    }
                    if (row.getBoolean("always")) {
                        always.add(column.name());
                    }
                    return row.getLong("oid");
                },
                name.schema(),
                name.name());
        if (oid.isEmpty()) {
            return Optional.empty();
        }
        String table = Long.toString(oid.get(0));
        List<UniqueKey> uniques = new ArrayList<>(uniques(table, ""));
        List<UniqueKey> special = uniques(table, "NOT");
        return Optional.of(new Description(
                name,
                columns,
                uniques,
                special,
                required,
                inexact,
                folding,
                always,
                new Description.Bonds(cascades(table), parents(table), triggers(table), rules(table))));
    }

    private List<UniqueKey> uniques(String table, String not) throws SQLException {
        return Sql.list(
                connection,
                UNIQUES.formatted(not),
                row -> new UniqueKey(row.getString(1), texts(row.getArray(2))),
                table);
    }

    private static List<String> texts(Array array) throws SQLException {
        return Arrays.stream((Object[]) array.getArray())
                .map(name -> name == null ? "(an expression)" : name.toString())
                .toList();
    }

    private boolean cascades(String table) throws SQLException {
        return Sql.one(
                connection,
                "SELECT EXISTS (SELECT 1 FROM pg_constraint WHERE confrelid = ?::oid AND contype = 'f'"
                        + " AND (confdeltype IN ('c', 'n', 'd') OR confupdtype IN ('c', 'n', 'd')))",
                row -> row.getBoolean(1),
                table);
    }

    private List<TableName> parents(String table) throws SQLException {
        return Sql.list(
                connection,
                "SELECT DISTINCT n.nspname, c.relname FROM pg_constraint f JOIN pg_class c ON c.oid = f.confrelid"
                        + " JOIN pg_namespace n ON n.oid = c.relnamespace"
                        + " WHERE f.conrelid = ?::oid AND f.contype = 'f' AND f.confrelid <> f.conrelid",
                row -> new TableName(row.getString(1), row.getString(2)),
                table);
    }

    private boolean rules(String table) throws SQLException {
        return Sql.one(
                connection,
                "SELECT EXISTS (SELECT 1 FROM pg_rewrite WHERE ev_class = ?::oid AND ev_type IN ('2', '3'))",
                row -> row.getBoolean(1),
                table);
    }

    private List<String> triggers(String table) throws SQLException {
        return Sql.list(
                connection,
                "SELECT tgname FROM pg_trigger WHERE tgrelid = ?::oid AND NOT tgisinternal AND tgenabled IN ('O', 'A')",
                row -> row.getString(1),
                table);
    }

    private static TargetColumn column(ResultSet row) throws SQLException {
        int modifier = row.getInt("atttypmod");
        String type = row.getString("typname");
        boolean base = row.getBoolean("built_in") && row.getString("typtype").equals("b");
        Kind kind = kind(row, type, modifier, base);
        return new TargetColumn(
                row.getString("attname"),
                row.getString("display"),
                row.getString("cast_type"),
                kind,
                limits(kind, type, modifier),
                false,
                !row.getBoolean("computed"));
    }

    private static Kind kind(ResultSet row, String type, int modifier, boolean base) throws SQLException {
        if (row.getString("typcategory").equals("A")
                && !row.getString("typtype").equals("d")) {
            return Kind.ARRAY;
        }
        if (row.getString("typtype").equals("d")) {
            return Kind.ALIKE_ONLY; // its base can have modifiers that cut
        }
        if (!base) {
            return type.equals("citext") ? Kind.TEXT : Kind.OTHER;
        }
        return switch (type) {
            case "text", "varchar", "bpchar" -> Kind.TEXT;
            case "bool" -> Kind.BOOLEAN;
            case "int2", "int4", "int8", "oid" -> Kind.INTEGER;
            case "numeric" -> modifier >= 0 && scale(modifier) < 0 ? Kind.ALIKE_ONLY : Kind.DECIMAL;
            case "float4" -> Kind.FLOAT32;
            case "float8" -> Kind.FLOAT64;
            case "uuid" -> Kind.UUID;
            case "date" -> Kind.DATE;
            case "time" -> Kind.TIME;
            case "timetz" -> Kind.TIME_ZONED;
            case "timestamp" -> Kind.TIMESTAMP;
            case "timestamptz" -> Kind.TIMESTAMP_ZONED;
            case "interval" -> modifier == -1 ? Kind.INTERVAL : Kind.ALIKE_ONLY;
            case "json", "jsonb" -> Kind.JSON;
            case "bytea" -> Kind.BYTES;
            case "name", "char", "bit", "varbit", "money" -> Kind.ALIKE_ONLY;
            default -> Kind.OTHER;
        };
    }

    /** Since version 15 a scale has eleven bits with a sign ({@code numeric_typmod_scale} in numeric.c). */
    private static int scale(int modifier) {
        return (((modifier - 4) & 0x7ff) ^ 1024) - 1024;
    }

    private static Limits limits(Kind kind, String type, int modifier) {
        return switch (kind) {
            case TEXT -> new Limits(modifier >= 4 && TEXTS.contains(type) ? modifier - 4 : -1, -1);
            case DECIMAL -> new Limits(-1, modifier >= 4 ? scale(modifier) : -1);
            case TIME, TIME_ZONED, TIMESTAMP, TIMESTAMP_ZONED -> new Limits(-1, modifier >= 0 ? modifier : 6);
            case INTERVAL -> new Limits(-1, 6);
            case ARRAY -> new Limits(-1, modifier >= 0 ? modifier : -1);
            default -> Limits.NONE;
        };
    }

    /** Whether two values of the column are equal only if their texts are. */
    private static boolean exact(TargetColumn column, ResultSet row) throws SQLException {
        return switch (column.kind()) {
            case BOOLEAN, INTEGER, UUID, DATE, TIME, TIMESTAMP, TIMESTAMP_ZONED, BYTES -> true;
            case TEXT ->
                row.getBoolean("deterministic") && Set.of("text", "varchar").contains(row.getString("typname"));
            case DECIMAL -> column.limits().scale() >= 0; // of the same type: always as many digits
            case OTHER -> row.getString("typtype").equals("e");
            case FLOAT32, FLOAT64, TIME_ZONED, INTERVAL, JSON, ARRAY, ALIKE_ONLY -> false;
        };
    }
}
