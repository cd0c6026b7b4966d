package io.tidegate.bench.jdbc;

import io.tidegate.bench.process.Arguments;
import io.tidegate.bench.process.ChildReport;
import io.tidegate.spi.Op;
import io.tidegate.testkit.postgres.PostgresServer;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.OffsetDateTime;

/**
 * Writes the changes by one prepared statement each, as a consumer of changes that is written by hand does: values are ready
 * as objects before, autocommit is off, and 1,000 changes are a transaction, so that the statements are measured and not the
 * commits. With {@code batch=true} the driver sends the changes of a transaction that follow each other with the same
 * statement at once.
 */
public final class StatementWriter {

    private static final int CHANGES_PER_COMMIT = 1_000;

    private final Connection connection;
    private final boolean batch;
    private final PreparedStatement insert;
    private final PreparedStatement update;
    private final PreparedStatement delete;

    private record Values(Op op, long id, int a, OffsetDateTime b, BigDecimal c, String d) {}

    private StatementWriter(Connection connection, boolean batch) throws SQLException {
        this.connection = connection;
        this.batch = batch;
        this.insert = connection.prepareStatement("INSERT INTO t (a, b, c, d, id) VALUES (?, ?, ?, ?, ?)");
        this.update = connection.prepareStatement("UPDATE t SET a = ?, b = ?, c = ?, d = ? WHERE id = ?");
        this.delete = connection.prepareStatement("DELETE FROM t WHERE id = ?");
    }

    /** Takes {@code url}, {@code kind}, {@code count}, {@code seed}, {@code batch}. */
    public static void main(String[] words) throws Exception {
        ChildReport report = new ChildReport();
        Arguments arguments = Arguments.of(words);
        long seed = arguments.number("seed");
        TargetChanges changes =
                TargetChanges.of(TargetChanges.Kind.of(arguments.text("kind")), (int) arguments.number("count"), seed);
        Values[] values = values(new TargetRows(seed), changes);
        try (Connection connection =
                DriverManager.getConnection(arguments.text("url"), PostgresServer.SUPERUSER, null)) {
            connection.setAutoCommit(false);
            StatementWriter writer = new StatementWriter(
                    connection, arguments.text("batch", "false").equals("true"));
            Measured measured = new Measured(report);
            long first = ChildReport.now();
            writer.write(values);
            measured.end(first, ChildReport.now());
        }
        report.print();
    }

    private static Values[] values(TargetRows rows, TargetChanges changes) {
        Values[] values = new Values[changes.size()];
        for (int i = 0; i < values.length; i++) {
            TargetRows.Texts texts = rows.texts(changes.id(i), changes.version(i));
            OffsetDateTime time = OffsetDateTime.parse(texts.b().replace(' ', 'T') + ":00");
            values[i] = new Values(
                    changes.op(i),
                    changes.id(i),
                    Integer.parseInt(texts.a()),
                    time,
                    new BigDecimal(texts.c()),
                    texts.d());
        }
        return values;
    }

    private void write(Values[] values) throws SQLException {
        for (int i = 0; i < values.length; i++) {
            Op op = values[i].op();
            PreparedStatement statement = filled(values[i]);
            boolean commit = (i + 1) % CHANGES_PER_COMMIT == 0 || i + 1 == values.length;
            if (!batch) {
                one(statement.executeUpdate());
            } else {
                statement.addBatch();
                if (commit || values[i + 1].op() != op) {
                    for (int rows : statement.executeBatch()) {
                        one(rows);
                    }
                }
            }
            if (commit) {
                connection.commit();
            }
        }
    }

    private PreparedStatement filled(Values row) throws SQLException {
        if (row.op() == Op.DELETE) {
            delete.setLong(1, row.id());
            return delete;
        }
        PreparedStatement statement = row.op() == Op.CREATE ? insert : update;
        statement.setInt(1, row.a());
        statement.setObject(2, row.b());
        statement.setBigDecimal(3, row.c());
        statement.setString(4, row.d());
        statement.setLong(5, row.id());
        return statement;
    }

    private static void one(int rows) {
        if (rows != 1) {
            throw new IllegalStateException("a change met " + rows + " rows");
        }
    }
}
