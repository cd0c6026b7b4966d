package io.tidegate.connector.jdbc;

import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.Finding;
import io.tidegate.spi.Place;
import io.tidegate.spi.Sink;
import io.tidegate.spi.SinkContext;
import io.tidegate.spi.SinkSession;
import io.tidegate.spi.Source;
import io.tidegate.spi.TidegateException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/** A configured target. */
final class JdbcSink implements Sink {

    static final String LOOP_CURE =
            "Write to another database or schema, with names.schema, or let 'tables' of the source leave"
                    + " it out; of the position table: position_table.";

    private final JdbcConfig config;
    private final Dialect dialect;

    JdbcSink(JdbcConfig config, Dialect dialect) {
        this.config = config;
        this.dialect = dialect;
    }

    @Override
    public List<Finding> check() {
        return new TargetCheck(config, dialect, null).run();
    }

    @Override
    public List<Finding> check(Source source) {
        return new TargetCheck(config, dialect, source).run();
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
            Tables.Guard guard = guard(connection, context);
            guard.check(name);
            if (dialect.describe(connection, name).isEmpty()) {
                Sql.execute(connection, dialect.createPositionTable(name));
            }
            dialect.checkTransactional(connection, name);
            PositionTable positions = new PositionTable(connection, dialect, name, config.pipeline());
            dialect.endSilent(connection, name);
            positions.takeOver();
            // From here on a call that does not end is seen as stalled; it is never given up (I8).
            connection.setNetworkTimeout(Runnable::run, 0);
            Tables tables = new Tables(
                    connection, dialect, config, context.sourceSystem().equals(dialect.system()), guard);
            return new JdbcSession(context, config, dialect, new JdbcSession.Opened(connection, positions, tables));
        } catch (SQLException e) {
            close(connection);
            throw dialect.failures().of(e, what);
        } catch (RuntimeException e) {
            close(connection);
            throw e;
        }
    }

    /** Keeps the pipeline from feeding itself. */
    private Tables.Guard guard(Connection connection, SinkContext context) throws SQLException {
        Optional<Place> place = dialect.place(connection);
        if (place.isEmpty() || !context.sourceReadsFrom(place.get())) {
            return table -> {};
        }
        return table -> {
            if (context.sourceCaptures(table.schema(), table.name())) {
                throw new TidegateException(ErrorCode.PREFLIGHT, loop(table), LOOP_CURE, null);
            }
        };
    }

    static String loop(TableName table) {
        return "the table " + table.display()
                + " is captured by this pipeline's source: what is written to it would be read" + " again, for ever";
    }

    private void close(Connection connection) {
        try {
            dialect.abort(connection);
        } catch (SQLException e) {
            // it was broken before
        }
    }
}
