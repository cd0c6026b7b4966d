package io.tidegate.connector.postgres.server;

import io.tidegate.connector.postgres.wire.PgErrors;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.postgresql.PGConnection;

/** One connection with the few ways in which it is used. Belongs to one thread, but for {@link #abort}. */
public final class SqlSession implements AutoCloseable {

    /** Reads one row. */
    @FunctionalInterface
    public interface RowReader<T> {
        T read(ResultSet row) throws SQLException;
    }

    private final Connection connection;
    private final String what;
    private final Runnable onClose;

    SqlSession(Connection connection, String what, Runnable onClose) {
        this.connection = connection;
        this.what = what;
        this.onClose = onClose;
    }

    public <T> List<T> query(String sql, RowReader<T> reader, Object... parameters) {
        try {
            List<T> rows = new ArrayList<>();
            if (parameters.length == 0) {
                // Without parameters the statement goes as it is, which a replication connection needs.
                try (Statement statement = connection.createStatement();
                        ResultSet result = statement.executeQuery(sql)) {
                    while (result.next()) {
                        rows.add(reader.read(result));
                    }
                }
                return rows;
            }
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                for (int i = 0; i < parameters.length; i++) {
                    statement.setObject(i + 1, parameters[i]);
                }
                try (ResultSet result = statement.executeQuery()) {
                    while (result.next()) {
                        rows.add(reader.read(result));
                    }
                }
            }
            return rows;
        } catch (SQLException e) {
            throw PgErrors.of(e, PgErrors.Doing.ASKING, what);
        }
    }

    public <T> Optional<T> find(String sql, RowReader<T> reader, Object... parameters) {
        return query(sql, reader, parameters).stream().findFirst();
    }

    /** The one row that there always is. */
    public <T> T one(String sql, RowReader<T> reader, Object... parameters) {
        return query(sql, reader, parameters).get(0);
    }

    public void execute(String sql) {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw PgErrors.of(e, PgErrors.Doing.ASKING, what);
        }
    }

    /** The driver's own view, for COPY. */
    public PGConnection driver() {
        try {
            return connection.unwrap(PGConnection.class);
        } catch (SQLException e) {
            throw PgErrors.of(e, PgErrors.Doing.ASKING, what);
        }
    }

    public int backendPid() {
        return driver().getBackendPID();
    }

    public String what() {
        return what;
    }

    /** For catalogues that ask by themselves. */
    public Connection connection() {
        return connection;
    }

    /** Limits how long any answer may take from now on. */
    public void answerWithin(Duration limit) {
        try {
            connection.setNetworkTimeout(Runnable::run, (int) limit.toMillis());
        } catch (SQLException e) {
            throw PgErrors.of(e, PgErrors.Doing.ASKING, what);
        }
    }

    /** Closes the socket under whatever is being done. Any thread. */
    public void abort() {
        try {
            connection.abort(Runnable::run);
        } catch (SQLException e) {
            throw PgErrors.of(e, PgErrors.Doing.ASKING, what);
        }
    }

    @Override
    public void close() {
        onClose.run();
        try {
            connection.close();
        } catch (SQLException e) {
            abort();
        }
    }
}
