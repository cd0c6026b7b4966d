package io.tidegate.connector.jdbc;

import io.tidegate.spi.Finding;
import io.tidegate.spi.Sink;
import io.tidegate.spi.SinkContext;
import io.tidegate.spi.SinkSession;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** A configured target. */
final class JdbcSink implements Sink {

    private final JdbcConfig config;
    private final Dialect dialect;

    JdbcSink(JdbcConfig config) {
        this.config = config;
        this.dialect = Dialect.of(config.login().url());
    }

    @Override
    public List<Finding> check() {
        return new TargetCheck(config, dialect).run();
    }

    @Override
    public SinkSession open(SinkContext context) {
        String what = "opening " + config.login().url().display();
        Connection connection;
        try {
            connection = dialect.connect(config);
        } catch (SQLException e) {
            throw dialect.failures().of(e, what);
        }
        try {
            TableName name = config.positionTable();
            if (name.schema().isEmpty()) {
                name = new TableName(dialect.currentSchema(connection), name.name());
            }
            if (dialect.describe(connection, name).isEmpty()) {
                Sql.execute(connection, dialect.createPositionTable(name));
            }
            PositionTable positions = new PositionTable(connection, dialect, name, config.pipeline());
            positions.takeOver();
            // From here on a call that does not end is seen as stalled; it is never given up (I8).
            connection.setNetworkTimeout(Runnable::run, 0);
            Tables tables = new Tables(
                    connection, dialect, config, context.sourceSystem().equals(dialect.system()), table -> {});
            return new JdbcSession(
                    context, config, dialect, new JdbcSession.Opened(connection, positions, tables));
        } catch (SQLException e) {
            close(connection);
            throw dialect.failures().of(e, what);
        } catch (RuntimeException e) {
            close(connection);
            throw e;
        }
    }

    private static void close(Connection connection) {
        try {
            connection.abort(Runnable::run);
        } catch (SQLException e) {
            // it was broken before
        }
    }
}
