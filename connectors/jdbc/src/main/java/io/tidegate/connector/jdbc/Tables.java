package io.tidegate.connector.jdbc;

import io.tidegate.connector.jdbc.Dialect.Description;
import io.tidegate.spi.Column;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.TableSchema;
import io.tidegate.spi.TidegateException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Finds the target's table for each version of a source's table, and makes or completes it if that was asked for. Works
 * outside of transactions: some databases end one at each statement that defines something.
 */
final class Tables {

    private static final int SEEN_MAX = 1_000;

    private final Connection connection;
    private final Dialect dialect;
    private final JdbcConfig config;
    private final boolean sameSystem;
    private final Guard guard;
    /** By content, and before that by reference: comparing columns for each change would cost more than writing it. */
    private final Map<TableSchema, TargetTable> known = new HashMap<>();

    private final IdentityHashMap<TableSchema, TargetTable> seen = new IdentityHashMap<>();
    private final Map<TableName, TableSchema> claimed = new HashMap<>();

    /** Refuses tables that must not be written. */
    interface Guard {
        void check(TableName table);
    }

    Tables(Connection connection, Dialect dialect, JdbcConfig config, boolean sameSystem, Guard guard) {
        this.connection = connection;
        this.dialect = dialect;
        this.config = config;
        this.sameSystem = sameSystem;
        this.guard = guard;
    }

    TargetTable of(TableSchema source) {
        TargetTable table = seen.get(source);
        if (table == null) {
            table = byContent(source);
            if (seen.size() >= SEEN_MAX) {
                seen.clear();
            }
            seen.put(source, table);
        }
        return table;
    }

    private TargetTable byContent(TableSchema source) {
        TargetTable table = known.get(source);
        if (table == null) {
            TableName name = config.names().of(source);
            dialect.checkName(name);
            guard.check(name);
            try {
                table = config.mode() == JdbcConfig.Mode.APPEND ? appendTable(name) : rowTable(name, source);
            } catch (SQLException e) {
                throw dialect.failures().of(e, "the table " + name.display());
            }
            known.put(source, table);
        }
        return table;
    }

    private TargetTable appendTable(TableName name) throws SQLException {
        String create = dialect.createAppendTable(name);
        Description found = found(name, create);
        List<TargetColumn> columns = new ArrayList<>();
        for (String column : AppendRow.COLUMNS) {
            TargetColumn target = TargetColumn.find(found.columns(), column);
            if (target == null) {
                throw new TidegateException(
                        ErrorCode.PREFLIGHT,
                        "the table " + name.display() + " has no column " + column
                                + ": it is not one for 'mode: append'",
                        "Let names.table name another one, or make it: " + create,
                        null);
            }
            columns.add(target.alike(true));
        }
        boolean rules = found.bonds().rules();
        return new TargetTable(name, columns, List.of(), new TargetTable.Facts(true, false, false, rules, Set.of()));
    }

    private Description found(TableName name, String create) throws SQLException {
        Optional<Description> found = dialect.describe(connection, name);
        if (found.isEmpty() && config.createTables()) {
            if (!dialect.schemaExists(connection, name.schema())) {
                Sql.execute(connection, dialect.createSchema(name.schema()));
            }
            Sql.execute(connection, create);
            found = dialect.describe(connection, name);
        }
        Description description = found.orElseThrow(() -> new TidegateException(
                ErrorCode.PREFLIGHT,
                "the table " + name.display() + " does not exist at the target",
                "Set create_tables: true, or make it: " + create,
                null));
        dialect.checkTransactional(connection, name);
        return description;
    }

    private TargetTable rowTable(TableName name, TableSchema source) throws SQLException {
        claim(name, source);
        Description found = found(name, createStatement(name, source));
        List<Column> missing = source.columns().stream()
                .filter(column -> TargetColumn.find(found.columns(), column.name()) == null)
                .toList();
        return matched(source, missing.isEmpty() ? found : completed(name, missing));
    }

    /** One target table takes the rows of one source table: a snapshot that begins again empties it. */
    private void claim(TableName name, TableSchema source) {
        TableSchema other = claimed.putIfAbsent(name, source);
        if (other != null && !other.display().equals(source.display())) {
            throw new TidegateException(
                    ErrorCode.CONFIG_INVALID,
                    "both " + other.display() + " and " + source.display() + " would be written to the table "
                            + name.display(),
                    "Let names.schema and names.table keep them apart, such as names.table: \"{schema}_{table}\"; or use"
                            + " 'mode: append'.",
                    null);
        }
    }

    /** The statement that makes a table for the source's. */
    String createStatement(TableName name, TableSchema source) throws SQLException {
        List<String> parts = new ArrayList<>();
        for (int i = 0; i < source.columns().size(); i++) {
            parts.add(definition(source.columns().get(i), source.key().contains(i)));
        }
        String key = source.key().stream()
                .map(i -> dialect.quote(source.columns().get(i).name()))
                .collect(Collectors.joining(", "));
        parts.add("PRIMARY KEY (" + key + ")");
        return "CREATE TABLE IF NOT EXISTS " + dialect.quote(name) + " (" + String.join(", ", parts) + ")";
    }

    private String definition(Column column, boolean key) throws SQLException {
        return dialect.quote(column.name()) + " " + dialect.newType(connection, column, key, sameSystem);
    }

    private Description completed(TableName name, List<Column> missing) throws SQLException {
        List<String> parts = new ArrayList<>();
        for (Column column : missing) {
            parts.add("ADD COLUMN " + definition(column, false));
        }
        String alter = "ALTER TABLE " + dialect.quote(name) + " " + String.join(", ", parts);
        if (!config.evolve()) {
            throw new TidegateException(
                    ErrorCode.PREFLIGHT,
                    "the table " + name.display() + " lacks "
                            + missing.stream().map(Column::name).collect(Collectors.joining(", ")),
                    "Set schema: evolve, or run: " + alter,
                    null);
        }
        Sql.execute(connection, alter);
        return dialect.describe(connection, name)
                .orElseThrow(() -> new TidegateException(
                        ErrorCode.SINK_FAILED, "the table " + name.display() + " was dropped meanwhile"));
    }

    private TargetTable matched(TableSchema source, Description found) throws SQLException {
        List<TargetColumn> columns = new ArrayList<>();
        for (Column column : source.columns()) {
            TargetColumn target = TargetColumn.find(found.columns(), column.name());
            if (target == null) {
                throw new TidegateException(
                        ErrorCode.SINK_FAILED,
                        "the table " + found.name().display() + " lost its column " + column.name() + " meanwhile");
            }
            target = target.alike(sameSystem && target.display().equals(column.nativeType()));
            Optional<String> problem = ColumnFit.problem(column, target, dialect.cells());
            if (problem.isPresent()) {
                throw new TidegateException(
                        ErrorCode.PREFLIGHT,
                        "the column " + column.name() + " of the table "
                                + found.name().display() + " " + problem.get(),
                        "Give it a type that can: "
                                + dialect.alterType(
                                        found.name(),
                                        column.name(),
                                        dialect.newType(connection, column, false, sameSystem)),
                        null);
            }
            columns.add(target);
        }
        checkRules(found);
        checkRequired(source, found);
        checkKey(source, found);
        checkIdentities(source, found);
        boolean exact = source.key().stream()
                .map(columns::get)
                .allMatch(column -> !found.inexact().contains(column.name())
                        && (column.alike() || column.kind() != TargetColumn.Kind.DECIMAL));
        checkKeyTexts(source, found, columns);
        boolean otherUnique = found.uniqueKeys().size() + found.specialUniques().size() > 1;
        return new TargetTable(
                found.name(),
                columns,
                source.key(),
                new TargetTable.Facts(
                        exact,
                        otherUnique,
                        found.bonds().cascades(),
                        found.bonds().rules(),
                        new LinkedHashSet<>(found.bonds().parents())));
    }

    /** Where the target takes two texts for one, two rows of the source would become one. */
    private void checkKeyTexts(TableSchema source, Description found, List<TargetColumn> columns) throws SQLException {
        for (int i : source.key()) {
            TargetColumn column = columns.get(i);
            boolean inexact = !column.alike() && found.inexact().contains(column.name());
            if (column.kind() == TargetColumn.Kind.TEXT
                    && (inexact || found.folding().contains(column.name()))) {
                String type = dialect.newType(connection, source.columns().get(i), true, sameSystem);
                throw new TidegateException(
                        ErrorCode.PREFLIGHT,
                        "the key column " + column.name() + " of the table "
                                + found.name().display()
                                + " takes different texts for equal, by case or by blanks at the"
                                + " end: rows of the source would overwrite each other",
                        "Compare it byte by byte: " + dialect.alterType(found.name(), column.name(), type)
                                + "; a unique index over it must not name another collation.",
                        null);
            }
        }
    }

    /** PostgreSQL lets no rule see an insert that says what to do if the row is there. */
    private static void checkRules(Description found) {
        if (found.bonds().rules()) {
            throw new TidegateException(
                    ErrorCode.PREFLIGHT,
                    "the table " + found.name().display()
                            + " has rules for INSERT or UPDATE, and rows cannot be inserted or else updated where one is",
                    "Drop them (DROP RULE), make triggers of them, or use 'mode: append'.",
                    null);
        }
    }

    /** A key of one column is never set by an update that keeps it. */
    private void checkIdentities(TableSchema source, Description found) {
        for (int i = 0; i < source.columns().size(); i++) {
            String column = source.columns().get(i).name();
            if (found.always().contains(column)
                    && !(source.key().contains(i) && source.key().size() == 1)) {
                throw new TidegateException(
                        ErrorCode.PREFLIGHT,
                        "the column " + column + " of the table " + found.name().display()
                                + " is GENERATED ALWAYS AS IDENTITY: no update could set it",
                        "Let it take values: ALTER TABLE " + dialect.quote(found.name()) + " ALTER COLUMN "
                                + dialect.quote(column) + " SET GENERATED BY DEFAULT",
                        null);
            }
        }
    }

    private void checkRequired(TableSchema source, Description found) {
        Set<String> given = source.columns().stream().map(Column::name).collect(Collectors.toSet());
        for (String column : found.required()) {
            if (!given.contains(column)) {
                throw new TidegateException(
                        ErrorCode.PREFLIGHT,
                        "the column " + column + " of the table " + found.name().display()
                                + " must not be null and has no default, and the source lacks it: no row could be inserted",
                        "Give it a default, or let it be null.",
                        null);
            }
        }
    }

    private void checkKey(TableSchema source, Description found) {
        List<String> key =
                source.key().stream().map(i -> source.columns().get(i).name()).toList();
        Set<String> wanted = new HashSet<>(key);
        if (found.uniqueKeys().stream().noneMatch(unique -> wanted.equals(new HashSet<>(unique.columns())))) {
            String columns = key.stream().map(dialect::quote).collect(Collectors.joining(", "));
            throw new TidegateException(
                    ErrorCode.PREFLIGHT,
                    "the table " + found.name().display()
                            + " has no primary key or unique constraint over the source's key " + key,
                    "Add it: ALTER TABLE " + dialect.quote(found.name()) + " ADD PRIMARY KEY (" + columns + ")",
                    null);
        }
    }
}
