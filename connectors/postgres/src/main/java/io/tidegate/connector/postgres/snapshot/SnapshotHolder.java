package io.tidegate.connector.postgres.snapshot;

import io.tidegate.connector.postgres.position.Lsn;
import io.tidegate.connector.postgres.position.PgOrigin;
import io.tidegate.connector.postgres.server.Connections;
import io.tidegate.connector.postgres.server.Sql;
import io.tidegate.connector.postgres.server.SqlSession;
import io.tidegate.connector.postgres.wire.ReplicationConnection;
import io.tidegate.connector.postgres.wire.ReplicationConnection.TemporarySlot;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.TidegateException;
import java.sql.SQLException;
import java.util.Set;

/**
 * Keeps one snapshot alive for the readers of an attempt: a transaction that imported the snapshot of a temporary slot and
 * exported it again (rule 5). The temporary slot is gone as soon as that is done.
 */
public final class SnapshotHolder implements AutoCloseable {

    /** What the server says of a snapshot that nobody holds, by version and moment: no such file, no such process. */
    private static final Set<String> GONE = Set.of("22023", "42704", "55000");

    private static final String BEGIN = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

    private final SqlSession transaction;
    private final String snapshot;
    private final PgOrigin.Snapshot origin;

    private SnapshotHolder(SqlSession transaction, String snapshot, PgOrigin.Snapshot origin) {
        this.transaction = transaction;
        this.snapshot = snapshot;
        this.origin = origin;
    }

    /**
     * Takes the snapshot that a temporary slot exported, while nothing else was sent on the slot's connection.
     *
     * @param attempt the number of the attempt that it is for
     */
    public static SnapshotHolder take(
            Connections connections, ReplicationConnection connection, TemporarySlot slot, int attempt) {
        SqlSession transaction = connections.patient("holding the snapshot");
        try {
            begin(transaction, slot.snapshot());
            String exported = transaction.one("SELECT pg_catalog.pg_export_snapshot()", row -> row.getString(1));
            long takenAt =
                    transaction.one("SELECT (extract(epoch FROM now()) * 1000000)::bigint", row -> row.getLong(1));
            return new SnapshotHolder(
                    transaction, exported, new PgOrigin.Snapshot(slot.consistentPoint(), takenAt, attempt));
        } catch (RuntimeException e) {
            transaction.close();
            throw e;
        } finally {
            connections.closed(connection);
            connection.close();
        }
    }

    /** A snapshot ends with the transaction that exported it: then the attempt is void, and the next session begins another. */
    static void begin(SqlSession session, String snapshot) {
        session.execute(BEGIN);
        try {
            session.execute("SET TRANSACTION SNAPSHOT " + Sql.text(snapshot));
        } catch (TidegateException e) {
            if (e.getCause() instanceof SQLException cause && GONE.contains(String.valueOf(cause.getSQLState()))) {
                throw new TidegateException(
                        ErrorCode.SOURCE_UNAVAILABLE,
                        "the snapshot is gone with the transaction that held it: " + e.getMessage(),
                        e);
            }
            throw e;
        }
    }

    /** The name under which readers import it. */
    public String snapshot() {
        return snapshot;
    }

    public PgOrigin.Snapshot origin() {
        return origin;
    }

    /** H. */
    public Lsn point() {
        return origin.point();
    }

    /** Fails if the snapshot is gone. */
    public void probe() {
        transaction.one("SELECT 1", row -> row.getInt(1));
    }

    @Override
    public void close() {
        transaction.close();
    }
}
