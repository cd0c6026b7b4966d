package io.tidegate.chaos;

import io.tidegate.testkit.await.Await;
import io.tidegate.testkit.postgres.PostgresServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * A lock on the row that each transaction of the JDBC sink locks first: while it is held nothing more arrives at the target,
 * however much time passes. {@link #pass} lets about one transaction through.
 */
final class FenceGrip implements AutoCloseable {

    private final PostgresServer target;
    private final TableTrial trial;
    private Connection holder;

    private FenceGrip(PostgresServer target, TableTrial trial) throws SQLException {
        this.target = target;
        this.trial = trial;
        this.holder = lock(target, trial.name());
    }

    /** Returns when it has the lock. The sink has been opened once at least. */
    static FenceGrip on(PostgresServer target, TableTrial trial) throws SQLException {
        return new FenceGrip(target, trial);
    }

    /** Fails if the lock was lost. */
    void check() throws SQLException {
        if (!holder.isValid(1)) {
            throw new IllegalStateException("the connection that holds the fence is gone");
        }
    }

    private static Connection lock(PostgresServer target, String pipeline) throws SQLException {
        Connection connection = target.connect(pipeline);
        try (Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            try (ResultSet row = statement.executeQuery("SELECT epoch FROM tidegate_position WHERE pipeline = '"
                    + pipeline + "' AND lineage = '' FOR UPDATE")) {
                if (!row.next()) {
                    throw new IllegalStateException("the pipeline has no fence at the target");
                }
            }
            return connection;
        } catch (SQLException | RuntimeException e) {
            connection.close();
            throw e;
        }
    }

    /** Queues up for the lock behind the sink, then gives it away. */
    void pass() throws SQLException {
        trial.await("the sink to wait for its lock", () -> !trial.waiting().isEmpty());
        CompletableFuture<Connection> next = CompletableFuture.supplyAsync(() -> {
            try {
                return lock(target, trial.name());
            } catch (SQLException e) {
                throw new IllegalStateException("cannot take the lock again", e);
            }
        });
        Await.until(
                "two to wait for the lock", Trial.LIMIT, () -> trial.waiting().size() > 1 || next.isDone());
        close();
        holder = Await.value(
                "the lock again", Trial.LIMIT, () -> next.isDone() ? Optional.of(next.join()) : Optional.empty());
    }

    @Override
    public void close() throws SQLException {
        holder.close(); // what it began is taken back
    }
}
