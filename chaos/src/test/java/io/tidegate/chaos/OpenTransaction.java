package io.tidegate.chaos;

import io.tidegate.testkit.postgres.PostgresServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/** A transaction that has written and does not end, so that no slot made meanwhile is complete. */
final class OpenTransaction implements AutoCloseable {

    private final Connection connection;

    OpenTransaction(PostgresServer server, String database) throws SQLException {
        connection = server.connect(database);
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            statement.execute("SELECT pg_current_xact_id()");
        }
    }

    @Override
    public void close() throws SQLException {
        connection.close(); // what it began is taken back
    }
}
