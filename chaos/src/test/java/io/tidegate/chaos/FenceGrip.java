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
    private final String pipeline;
    private Connection holder;

    private FenceGrip(PostgresServer target, String pipeline, Connection holder) {
        this.target = target;
        this.pipeline = pipeline;
        this.holder = holder;
    }

    /** Returns when it has the lock. The database is called as the pipeline; the sink has been opened once at least. */
    static FenceGrip on(PostgresServer target, String pipeline) throws SQLException {
        return new FenceGrip(target, pipeline, lock(target, pipeline));
    }

    private static Connection lock(PostgresServer target, String pipeline) throws SQLException {
        Connection connection = target.connect(pipeline);
        try (Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            try (ResultSet row = statement.executeQuery("SELECT epoch FROM tidegate_position WHERE pipeline = '" + pipeline
                    + "' AND lineage = '' FOR UPDATE")) {
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

    /** Whether so many sessions wait for a lock: those of the sink, also of a process that was killed. */
    boolean waiting(int sessions) throws SQLException {
        String count = target.queryIn(
                        pipeline,
                        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'")
                .get(0);
        return Integer.parseInt(count) >= sessions;
    }

    /** Queues up for the lock behind the sink, then gives it away. */
    void pass() throws SQLException {
        Await.until("the sink to wait for its lock", Trial.LIMIT, () -> waiting(1));
        CompletableFuture<Connection> next = CompletableFuture.supplyAsync(() -> {
            try {
                return lock(target, pipeline);
            } catch (SQLException e) {
                throw new IllegalStateException("cannot take the lock again", e);
            }
        });
        Await.until("two to wait for the lock", Trial.LIMIT, () -> waiting(2) || next.isDone());
        close();
        holder = Await.value("the lock again", Trial.LIMIT, () -> next.isDone() ? Optional.of(next.join()) : Optional.empty());
    }

    @Override
    public void close() throws SQLException {
        holder.close(); // what it began is taken back
    }
}
