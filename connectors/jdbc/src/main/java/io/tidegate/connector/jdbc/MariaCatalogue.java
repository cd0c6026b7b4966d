package io.tidegate.connector.jdbc;

import io.tidegate.connector.jdbc.Dialect.Description;
import io.tidegate.connector.jdbc.Dialect.UniqueKey;
import io.tidegate.connector.jdbc.TargetColumn.Kind;
import io.tidegate.connector.jdbc.TargetColumn.Limits;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What MariaDB's information schema says of a table. */
final class MariaCatalogue {

    private static final String COLUMNS = """
            SELECT column_name, data_type, column_type, character_maximum_length, numeric_scale, datetime_precision,
                   collation_name, is_nullable = 'NO' AND column_default IS NULL
                     AND extra NOT LIKE '%auto_increment%' AND is_generated = 'NEVER' AS required,
                   is_generated <> 'NEVER' AS computed
            FROM information_schema.columns WHERE table_schema = ? AND table_name = ? ORDER BY ordinal_position""";

    private static final String UNIQUES = """
            SELECT index_name, column_name, sub_part IS NOT NULL AS prefix FROM information_schema.statistics
            WHERE table_schema = ? AND table_name = ? AND non_unique = 0
            ORDER BY index_name <> 'PRIMARY', index_name, seq_in_index""";

    private final Connection connection;

    MariaCatalogue(Connection connection) {
        this.connection = connection;
    }

    Optional<Description> describe(TableName name) throws SQLException {
        List<String> required = new ArrayList<>();
        List<String> inexact = new ArrayList<>();
        List<TargetColumn> columns = Sql.list(
                connection,
                COLUMNS,
                row -> {
                    TargetColumn column = column(row);
                    if (row.getBoolean("required")) {
                        required.add(column.name());
                    }
                    if (!exact(column, row.getString("collation_name"))) {
                        inexact.add(column.name());
                    }
                    return column;
                },
                name.schema(),
                name.name());
        if (columns.isEmpty()) {
            return Optional.empty();
        }
        List<UniqueKey> special = new ArrayList<>();
        List<UniqueKey> uniques = uniques(name, special);
        return Optional.of(new Description(
                name,
                columns,
                uniques,
                special,
                required,
                inexact,
                List.of(),
                List.of(),
                new Description.Bonds(cascades(name), parents(name), triggers(name), false)));
    }

    private List<UniqueKey> uniques(TableName name, List<UniqueKey> special) throws SQLException {
        Map<String, List<String>> byIndex = new LinkedHashMap<>();
        List<String> prefixes = new ArrayList<>();
        Sql.list(
                connection,
                UNIQUES,
                row -> {
                    byIndex.computeIfAbsent(row.getString(1), index -> new ArrayList<>())
                            .add(String.valueOf(row.getString(2)));
                    if (row.getBoolean(3)) {
                        prefixes.add(row.getString(1));
                    }
                    return row.getString(1);
                },
                name.schema(),
                name.name());
        List<UniqueKey> uniques = new ArrayList<>();
        byIndex.forEach(
                (index, columns) -> (prefixes.contains(index) ? special : uniques).add(new UniqueKey(index, columns)));
        return uniques;
    }

    private boolean cascades(TableName name) throws SQLException {
        return Sql.one(
                connection,
                "SELECT EXISTS (SELECT 1 FROM information_schema.referential_constraints"
                        + " WHERE unique_constraint_schema = ? AND referenced_table_name = ?"
                        + " AND (delete_rule NOT IN ('RESTRICT', 'NO ACTION') OR update_rule NOT IN ('RESTRICT', 'NO ACTION')))",
                row -> row.getBoolean(1),
                name.schema(),
                name.name());
    }

    private List<TableName> parents(TableName name) throws SQLException {
        return Sql.list(
                        connection,
                        "SELECT unique_constraint_schema, referenced_table_name FROM"
                                + " information_schema.referential_constraints WHERE constraint_schema = ? AND table_name = ?",
                        row -> new TableName(row.getString(1), row.getString(2)),
                        name.schema(),
                        name.name())
                .stream()
                .filter(parent -> !parent.equals(name))
                .toList();
    }

    private List<String> triggers(TableName name) throws SQLException {
        return Sql.list(
                connection,
                "SELECT trigger_name FROM information_schema.triggers WHERE event_object_schema = ?"
                        + " AND event_object_table = ?",
                row -> row.getString(1),
                name.schema(),
                name.name());
    }

    private static TargetColumn column(ResultSet row) throws SQLException {
        String type = row.getString("data_type");
        Kind kind = kind(type, row.getString("column_type"));
        return new TargetColumn(
                row.getString("column_name"),
                row.getString("column_type"),
                type,
                kind,
                limits(kind, type, row),
                false,
                !row.getBoolean("computed"));
    }

    private static Kind kind(String type, String whole) {
        return switch (type) {
            case "tinyint" -> whole.startsWith("tinyint(1)") ? Kind.BOOLEAN : Kind.INTEGER;
            case "smallint", "mediumint", "int", "bigint" -> Kind.INTEGER;
            case "decimal" -> Kind.DECIMAL;
            case "float" -> Kind.FLOAT32;
            case "double" -> Kind.FLOAT64;
            case "char", "varchar", "tinytext", "text", "mediumtext", "longtext" -> Kind.TEXT;
            case "varbinary", "tinyblob", "blob", "mediumblob", "longblob" -> Kind.BYTES;
            case "date" -> Kind.DATE;
            case "time" -> Kind.TIME;
            case "datetime" -> Kind.TIMESTAMP;
            case "timestamp" -> Kind.TIMESTAMP_ZONED;
            case "uuid" -> Kind.UUID;
            case "inet4", "inet6" -> Kind.OTHER;
            // binary pads with zeros; enum and set take a digit for an index; year takes 70 for 1970
            default -> Kind.ALIKE_ONLY;
        };
    }

    private static Limits limits(Kind kind, String type, ResultSet row) throws SQLException {
        return switch (kind) {
            case TEXT -> new Limits(type.endsWith("char") ? (int) row.getLong("character_maximum_length") : -1, -1);
            case DECIMAL -> new Limits(-1, row.getInt("numeric_scale"));
            case TIME, TIMESTAMP, TIMESTAMP_ZONED -> new Limits(-1, row.getInt("datetime_precision"));
            default -> Limits.NONE;
        };
    }

    private static boolean exact(TargetColumn column, @Nullable String collation) {
        return switch (column.kind()) {
            case BOOLEAN, INTEGER, UUID, DATE, TIME, TIMESTAMP, TIMESTAMP_ZONED, BYTES -> true;
            case TEXT -> collation != null && collation.endsWith("_nopad_bin");
            case DECIMAL, FLOAT32, FLOAT64, TIME_ZONED, INTERVAL, JSON, ARRAY, OTHER, ALIKE_ONLY -> false;
        };
    }
}
