package io.tidegate.connector.jdbc;

import io.tidegate.connector.jdbc.TargetColumn.Kind;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Types;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Writes many rows by one statement. Rows that are only added go by {@code COPY}, many others by {@code COPY} into a temporary table
 * first; of few each column goes as one array, and {@code unnest} makes rows of them. Arrays of simple types
 * are read by the server at once; of others as text, each element cast to the type without modifiers, so that no cast cuts
 * or rounds.
 */
final class PostgresRows implements RowWriter {

    private static final int STATEMENTS_MAX = 200;
    /** From so many rows on, which only come so close when much is to be caught up, a temporary table is worth what it costs the catalogue. */
    private static final int STAGED_MIN = 5_000;

    /** {@code object_in_use}. */
    private static final String IN_USE = "55006";

    private static final String STAGE = "pg_temp.tidegate_stage";
    private static final Set<Kind> BY_TEXT = Set.of(Kind.ARRAY, Kind.OTHER, Kind.ALIKE_ONLY);

    private final Connection connection;
    private final Dialect dialect;
    private final Map<String, PreparedStatement> statements = new HashMap<>();
    /** Null: not asked yet. */
    private @Nullable Boolean mayStage;

    PostgresRows(Connection connection, Dialect dialect) {
        this.connection = connection;
        this.dialect = dialect;
    }

    @Override
    public void put(TargetTable table, List<Integer> columns, List<Object[]> images) throws SQLException {
        List<Integer> others =
                columns.stream().filter(i -> !table.key().contains(i)).toList();
        String conflict = others.isEmpty()
                ? "DO NOTHING"
                : "DO UPDATE SET " + joined(others, i -> name(table, i) + " = EXCLUDED." + name(table, i));
        String onConflict = " ON CONFLICT (" + joined(table.key(), i -> name(table, i)) + ") " + conflict;
        boolean tries = images.size() >= STAGED_MIN && mayStage();
        if (tries && staged(table, columns, images, onConflict)) {
            return;
        }
        run(insert(table, columns, rows(table, columns)) + onConflict, columns, images);
        if (tries) { // so it was not a row
            mayStage = false;
        }
    }

    /**
     * By a temporary table with these columns, of the types that elements of arrays would have. It does not outlive its group: an old one would
     * hold back the server's oldest transaction number, which nobody else's vacuum can advance. False, and nothing is changed: the target refused a
     * row, or the table, for which it may have any reason: rights, an event trigger, a disk of its own that is full.
     */
    private boolean staged(TargetTable table, List<Integer> columns, List<Object[]> images, String onConflict)
            throws SQLException {
        Savepoint before = connection.setSavepoint();
        try {
            Sql.execute(
                    connection,
                    "CREATE TEMPORARY TABLE " + STAGE + " ("
                            + joined(columns, i -> "c" + i + " " + (typed(table, i) ? cast(table, i) : "text"))
                            + ") ON COMMIT DROP");
            CopyLines.send(connection, "COPY " + STAGE + " FROM STDIN", columns, images);
            Sql.execute(connection, insert(table, columns, " FROM " + STAGE + " AS u") + onConflict);
            Sql.execute(connection, "DROP TABLE " + STAGE);
        } catch (SQLException e) {
            try {
                connection.rollback(before);
            } catch (SQLException broken) {
                e.addSuppressed(broken);
                throw e;
            }
            return false;
        }
        connection.releaseSavepoint(before);
        return true;
    }

    private boolean mayStage() throws SQLException {
        if (mayStage == null) {
            mayStage = Sql.one(
                    connection,
                    "SELECT has_database_privilege(current_database(), 'TEMPORARY')",
                    row -> row.getBoolean(1));
        }
        return mayStage;
    }

    @Override
    public void append(TargetTable table, List<Object[]> images) throws SQLException {
        List<Integer> columns = all(table);
        if (images.size() > 1 && inserts(table, columns)) {
            insert(table, columns, images);
        } else {
            run(insert(table, columns, rows(table, columns)), columns, images);
        }
    }

    /**
     * What {@code COPY} reads is read with the column's modifiers: only where they change nothing. And it passes rules by.
     */
    @Override
    public boolean inserts(TargetTable table, List<Integer> columns) {
        return !table.facts().rules()
                && columns.stream()
                        .allMatch(i -> typed(table, i) || table.columns().get(i).alike());
    }

    /** By {@code COPY}, which also writes identity columns as they are given. */
    @Override
    public void insert(TargetTable table, List<Integer> columns, List<Object[]> images) throws SQLException {
        CopyLines.send(
                connection,
                "COPY " + dialect.quote(table.name()) + " (" + joined(columns, i -> name(table, i)) + ") FROM STDIN",
                columns,
                images);
    }

    private static List<Integer> all(TargetTable table) {
        return IntStream.range(0, table.columns().size()).boxed().toList();
    }

    private String insert(TargetTable table, List<Integer> columns, String from) {
        return "INSERT INTO " + dialect.quote(table.name()) + " (" + joined(columns, i -> name(table, i))
                + ") OVERRIDING SYSTEM VALUE SELECT " + joined(columns, i -> value(table, i)) + from;
    }

    @Override
    public int patch(TargetTable table, List<Integer> columns, List<Object[]> images) throws SQLException {
        List<Integer> others =
                columns.stream().filter(i -> !table.key().contains(i)).toList();
        String set = others.isEmpty()
                ? joined(table.key(), i -> name(table, i) + " = t." + name(table, i))
                : joined(others, i -> name(table, i) + " = " + value(table, i));
        return run(
                "UPDATE " + dialect.quote(table.name()) + " AS t SET " + set + rows(table, columns) + where(table),
                columns,
                images);
    }

    @Override
    public void remove(TargetTable table, List<Object[]> keys) throws SQLException {
        if (table.key().size() == 1 && typed(table, table.key().get(0))) {
            int key = table.key().get(0);
            run(
                    "DELETE FROM " + dialect.quote(table.name()) + " AS t WHERE t." + name(table, key)
                            + " = ANY (CAST(? AS " + cast(table, key) + "[]))",
                    List.of(0),
                    keys);
            return;
        }
        run(
                "DELETE FROM " + dialect.quote(table.name()) + " AS t USING " + source(table, table.key())
                        + where(table),
                IntStream.range(0, table.key().size()).boxed().toList(),
                keys);
    }

    @Override
    public boolean rekey(TargetTable table, List<Integer> columns, Object[] image, Object[] oldKey)
            throws SQLException {
        if (patchWithKey(table, columns, image, key(table, image)) > 0) {
            removeOther(table, oldKey, key(table, image));
            return true;
        }
        return patchWithKey(table, columns, image, oldKey) > 0;
    }

    private int patchWithKey(TargetTable table, List<Integer> columns, Object[] image, Object[] key)
            throws SQLException {
        String sql = "UPDATE " + dialect.quote(table.name()) + " AS t SET "
                + joined(columns, i -> name(table, i) + " = CAST(? AS " + cast(table, i) + ")") + " WHERE "
                + equal(table);
        PreparedStatement statement = statement(sql);
        int at = 1;
        for (int column : columns) {
            statement.setObject(at++, image[column], Types.OTHER);
        }
        for (Object cell : key) {
            statement.setObject(at++, cell, Types.OTHER);
        }
        return statement.executeUpdate();
    }

    /** Unless the target takes both keys for one. */
    private void removeOther(TargetTable table, Object[] oldKey, Object[] newKey) throws SQLException {
        PreparedStatement statement = statement("DELETE FROM " + dialect.quote(table.name()) + " AS t WHERE "
                + equal(table) + " AND NOT (" + equal(table) + ")");
        int at = 1;
        for (Object[] key : List.of(oldKey, newKey)) {
            for (Object cell : key) {
                statement.setObject(at++, cell, Types.OTHER);
            }
        }
        statement.executeUpdate();
    }

    private String equal(TargetTable table) {
        return table.key().stream()
                .map(i -> "t." + name(table, i) + " = CAST(? AS " + cast(table, i) + ")")
                .collect(Collectors.joining(" AND "));
    }

    private static Object[] key(TargetTable table, Object[] image) {
        return table.key().stream().map(i -> image[i]).toArray();
    }

    /** What a deferred constraint still has to look at keeps a table from being truncated: then its rows are deleted. */
    @Override
    public void truncate(List<TargetTable> tables) throws SQLException {
        Savepoint before = connection.setSavepoint();
        try {
            Sql.execute(
                    connection,
                    "TRUNCATE "
                            + tables.stream()
                                    .map(table -> dialect.quote(table.name()))
                                    .collect(Collectors.joining(", ")));
        } catch (SQLException e) {
            if (!IN_USE.equals(e.getSQLState())
                    || tables.stream().anyMatch(table -> table.facts().cascades())) {
                throw e;
            }
            connection.rollback(before);
            for (TargetTable table : childrenFirst(tables)) {
                Sql.execute(connection, "DELETE FROM " + dialect.quote(table.name()));
            }
        }
        connection.releaseSavepoint(before);
    }

    private static List<TargetTable> childrenFirst(List<TargetTable> tables) {
        List<TargetTable> left = new ArrayList<>(tables);
        List<TargetTable> sorted = new ArrayList<>();
        while (!left.isEmpty()) {
            TargetTable next = left.stream()
                    .filter(table -> left.stream()
                            .noneMatch(child -> child.facts().parents().contains(table.name())))
                    .findFirst()
                    .orElse(left.get(0)); // a ring of keys: one of them is deferred, or it is refused
            left.remove(next);
            sorted.add(next);
        }
        return sorted;
    }

    private interface Part {
        String of(int column);
    }

    private static String joined(List<Integer> columns, Part part) {
        return columns.stream().map(part::of).collect(Collectors.joining(", "));
    }

    private String name(TargetTable table, int column) {
        return dialect.quote(table.columns().get(column).name());
    }

    private static String cast(TargetTable table, int column) {
        return table.columns().get(column).castType();
    }

    private static boolean typed(TargetTable table, int column) {
        TargetColumn target = table.columns().get(column);
        return !BY_TEXT.contains(target.kind()) && target.castType().startsWith("pg_catalog.");
    }

    private static String value(TargetTable table, int column) {
        return typed(table, column) ? "u.c" + column : "CAST(u.c" + column + " AS " + cast(table, column) + ")";
    }

    private String rows(TargetTable table, List<Integer> columns) {
        return " FROM " + source(table, columns);
    }

    private static String source(TargetTable table, List<Integer> columns) {
        return "unnest("
                + joined(columns, i -> typed(table, i) ? "CAST(? AS " + cast(table, i) + "[])" : "CAST(? AS text[])")
                + ") AS u(" + joined(columns, i -> "c" + i) + ")";
    }

    private String where(TargetTable table) {
        return " WHERE "
                + table.key().stream()
                        .map(i -> "t." + name(table, i) + " = " + value(table, i))
                        .collect(Collectors.joining(" AND "));
    }

    private int run(String sql, List<Integer> columns, List<Object[]> rows) throws SQLException {
        PreparedStatement statement = statement(sql);
        int at = 1;
        for (int column : columns) {
            statement.setObject(at++, ArrayLiteral.ofColumn(rows, column), Types.OTHER);
        }
        int count = statement.executeUpdate();
        statement.clearParameters();
        return count;
    }

    private PreparedStatement statement(String sql) throws SQLException {
        PreparedStatement known = statements.get(sql);
        if (known == null) {
            if (statements.size() >= STATEMENTS_MAX) {
                close();
            }
            known = connection.prepareStatement(sql);
            statements.put(sql, known);
        }
        return known;
    }

    @Override
    public void close() {
        for (PreparedStatement statement : new ArrayList<>(statements.values())) {
            try {
                statement.close();
            } catch (SQLException e) {
                // a broken connection closes them all
            }
        }
        statements.clear();
    }
}
