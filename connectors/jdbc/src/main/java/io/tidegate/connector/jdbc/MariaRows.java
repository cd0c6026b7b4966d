package io.tidegate.connector.jdbc;

import io.tidegate.connector.jdbc.TargetColumn.Kind;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Writes many rows by one statement where that is safe. {@code ON DUPLICATE KEY UPDATE} updates the row that any unique
 * constraint finds, so it is used only for tables that have no other than the key; others are updated first and inserted if
 * nothing was there.
 */
final class MariaRows implements RowWriter {

    private static final int ROWS_MAX = 500;
    private static final long BYTES_MAX = 1 << 20;

    private final Connection connection;
    private final Dialect dialect;
    private final PacketLimit packet;

    MariaRows(Connection connection, Dialect dialect) {
        this.connection = connection;
        this.dialect = dialect;
        this.packet = new PacketLimit(connection);
    }

    @Override
    public void put(TargetTable table, List<Integer> columns, List<Object[]> images) throws SQLException {
        if (table.facts().otherUnique()) {
            for (Object[] image : images) {
                if (update(table, columns, image, key(table, image)) == 0) {
                    insert(table, columns, List.<Object[]>of(image), "");
                }
            }
            return;
        }
        List<Integer> others = others(table, columns);
        String first = name(table, table.key().get(0));
        String set = others.isEmpty()
                ? first + " = " + first
                : joined(others, i -> name(table, i) + " = VALUES(" + name(table, i) + ")");
        insert(table, columns, images, " ON DUPLICATE KEY UPDATE " + set);
    }

    @Override
    public void append(TargetTable table, List<Object[]> images) throws SQLException {
        insert(table, IntStream.range(0, table.columns().size()).boxed().toList(), images, "");
    }

    private void insert(TargetTable table, List<Integer> columns, List<Object[]> images, String conflict)
            throws SQLException {
        String head = "INSERT INTO " + dialect.quote(table.name()) + " (" + joined(columns, i -> name(table, i))
                + ") VALUES ";
        String row = "(" + joined(columns, i -> "?") + ")";
        for (List<Object[]> some : pieces(images)) {
            String sql = head + String.join(", ", java.util.Collections.nCopies(some.size(), row)) + conflict;
            packet.check(sql, size(some, columns));
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                int at = 1;
                for (Object[] image : some) {
                    for (int column : columns) {
                        bind(statement, at++, table.columns().get(column), image[column]);
                    }
                }
                statement.executeUpdate();
            }
        }
    }

    /** No piece is larger than what the server takes at once, but for one row. */
    private List<List<Object[]>> pieces(List<Object[]> images) throws SQLException {
        long bytesMax = Math.min(BYTES_MAX, packet.bytes() / 2);
        List<List<Object[]>> pieces = new ArrayList<>();
        List<Object[]> piece = new ArrayList<>();
        long bytes = 0;
        for (Object[] image : images) {
            long size = 0;
            for (Object cell : image) {
                size += PacketLimit.size(cell);
            }
            if (!piece.isEmpty() && (piece.size() >= ROWS_MAX || bytes + size > bytesMax)) {
                pieces.add(piece);
                piece = new ArrayList<>();
                bytes = 0;
            }
            piece.add(image);
            bytes += size;
        }
        pieces.add(piece);
        return pieces;
    }

    private static long size(List<Object[]> images, List<Integer> columns) {
        long size = 0;
        for (Object[] image : images) {
            for (int column : columns) {
                size += PacketLimit.size(image[column]);
            }
        }
        return size;
    }

    @Override
    public int patch(TargetTable table, List<Integer> columns, List<Object[]> images) throws SQLException {
        int found = 0;
        for (Object[] image : images) {
            found += update(table, columns, image, key(table, image));
        }
        return found;
    }

    /** How many rows were there; an update that changes nothing counts. */
    private int update(TargetTable table, List<Integer> columns, Object[] image, Object[] key) throws SQLException {
        String sql = "UPDATE " + dialect.quote(table.name()) + " SET " + joined(columns, i -> name(table, i) + " = ?")
                + " WHERE " + equal(table);
        packet.check(sql, size(List.<Object[]>of(image), columns));
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            int at = 1;
            for (int column : columns) {
                bind(statement, at++, table.columns().get(column), image[column]);
            }
            bindKey(statement, at, table, key);
            return statement.executeUpdate();
        }
    }

    @Override
    public void remove(TargetTable table, List<Object[]> keys) throws SQLException {
        String row = table.key().size() == 1 ? "?" : "(" + joined(table.key(), i -> "?") + ")";
        String head = "DELETE FROM " + dialect.quote(table.name()) + " WHERE ("
                + joined(table.key(), i -> name(table, i)) + ") IN (";
        for (List<Object[]> some : pieces(keys)) {
            String sql = head + String.join(", ", java.util.Collections.nCopies(some.size(), row)) + ")";
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                int at = 1;
                for (Object[] key : some) {
                    at = bindKey(statement, at, table, key);
                }
                statement.executeUpdate();
            }
        }
    }

    @Override
    public boolean rekey(TargetTable table, List<Integer> columns, Object[] image, Object[] oldKey)
            throws SQLException {
        Object[] newKey = key(table, image);
        if (update(table, columns, image, newKey) == 0) {
            return update(table, columns, image, oldKey) > 0;
        }
        String sql = "DELETE FROM " + dialect.quote(table.name()) + " WHERE " + equal(table) + " AND NOT ("
                + equal(table) + ")";
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            bindKey(statement, bindKey(statement, 1, table, oldKey), table, newKey);
            statement.executeUpdate();
        }
        return true;
    }

    /** By DELETE: MariaDB's TRUNCATE ends the transaction. Tables that name others by foreign keys go first. */
    @Override
    @SuppressWarnings("ReferenceEquality") // each table is there once
    public void truncate(List<TargetTable> tables) throws SQLException {
        List<TargetTable> left = new ArrayList<>(tables);
        while (!left.isEmpty()) {
            TargetTable next = left.stream()
                    .filter(table -> left.stream()
                            .noneMatch(other ->
                                    other != table && other.facts().parents().contains(table.name())))
                    .findFirst()
                    .orElse(left.get(0));
            left.remove(next);
            Sql.execute(connection, "DELETE FROM " + dialect.quote(next.name()));
        }
    }

    private interface Part {
        String of(int column);
    }

    private static String joined(List<Integer> columns, Part part) {
        return columns.stream().map(part::of).collect(Collectors.joining(", "));
    }

    private static List<Integer> others(TargetTable table, List<Integer> columns) {
        return columns.stream().filter(i -> !table.key().contains(i)).toList();
    }

    private String name(TargetTable table, int column) {
        return dialect.quote(table.columns().get(column).name());
    }

    private String equal(TargetTable table) {
        return table.key().stream().map(i -> name(table, i) + " = ?").collect(Collectors.joining(" AND "));
    }

    private static Object[] key(TargetTable table, Object[] image) {
        return table.key().stream().map(i -> image[i]).toArray();
    }

    private static int bindKey(PreparedStatement statement, int from, TargetTable table, Object[] key)
            throws SQLException {
        int at = from;
        for (int i = 0; i < key.length; i++) {
            bind(statement, at++, table.columns().get(table.key().get(i)), key[i]);
        }
        return at;
    }

    /** Numbers go as numbers: a text compared with a number would be compared as a float. */
    private static void bind(PreparedStatement statement, int at, TargetColumn column, @Nullable Object cell)
            throws SQLException {
        Kind kind = column.kind();
        if (cell == null) {
            statement.setNull(at, Types.VARCHAR);
        } else if (cell instanceof byte[] raw) {
            statement.setBytes(at, raw);
        } else if (kind == Kind.INTEGER || kind == Kind.DECIMAL || kind == Kind.BOOLEAN) {
            statement.setBigDecimal(at, new BigDecimal((String) cell));
        } else {
            statement.setString(at, (String) cell);
        }
    }

    @Override
    public void close() {
        // statements are closed after each use
    }
}
