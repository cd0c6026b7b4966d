package io.tidegate.chaos;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicLong;

/** Writes rows and their entries in the book, see {@link Ledger}, in the transaction of a connection. */
final class LedgerWriter {
    private static final AtomicLong TOKENS = new AtomicLong(1_000_000_000L);

    private final Connection connection;

    LedgerWriter(Connection connection) {
        this.connection = connection;
    }

    /** The parameter of {@code sql} is the token; a delete has none. */
    void write(String table, String op, String sql) throws SQLException {
        long token = nextToken();
        int rows;
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            if (!op.equals("d")) {
                statement.setLong(1, token);
            }
            rows = statement.executeUpdate();
        }
        if (rows > 0) {
            enter(table, op, rows, token);
        }
    }

    /** Executes a statement that is no change of rows. */
    void execute(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** Writes rows that are rolled back, with their entry. */
    void undone(int key) throws SQLException {
        execute("SAVEPOINT before_it");
        write("account", "u", "UPDATE account SET token = ?, note = 'never' WHERE id = " + key);
        execute("ROLLBACK TO before_it");
    }

    long enter(String table, String op, int rows) throws SQLException {
        long token = nextToken();
        enter(table, op, rows, token);
        return token;
    }

    private void enter(String table, String op, int rows, long token) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("INSERT INTO ledger (tab, op, n, token) VALUES (?, ?, ?, ?)")) {
            statement.setString(1, table);
            statement.setString(2, op);
            statement.setInt(3, rows);
            statement.setLong(4, token);
            statement.executeUpdate();
        }
    }

    private static long nextToken() {
        return TOKENS.incrementAndGet();
    }
}
