package io.tidegate.chaos;

import io.tidegate.testkit.postgres.PostgresServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.postgresql.PGConnection;
import org.postgresql.replication.PGReplicationStream;

/** Keeps a slot active, reading and confirming nothing, as the connection of a process does that is not known to be dead. */
final class SlotGrip implements AutoCloseable {

    private final PostgresServer server;
    private final Connection connection;
    private final PGReplicationStream stream;
    private final String slot;

    private SlotGrip(PostgresServer server, Connection connection, PGReplicationStream stream, String slot) {
        this.server = server;
        this.connection = connection;
        this.stream = stream;
        this.slot = slot;
    }

    static SlotGrip on(PostgresServer server, Trial trial) throws SQLException {
        String slot = "tidegate_" + trial.name();
        Connection connection = server.connectForReplication(trial.name());
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET wal_sender_timeout = 0");
            PGReplicationStream stream = connection
                    .unwrap(PGConnection.class)
                    .getReplicationAPI()
                    .replicationStream()
                    .logical()
                    .withSlotName(slot)
                    .withSlotOption("proto_version", 1)
                    .withSlotOption("publication_names", slot)
                    .withAutomaticFlush(false)
                    .start();
            return new SlotGrip(server, connection, stream, slot);
        } catch (SQLException e) {
            connection.close();
            throw e;
        }
    }

    /** Fails if somebody else has the slot. */
    void check() throws SQLException {
        if (stream.isClosed()) {
            throw new IllegalStateException("the stream of " + slot + " is closed");
        }
    }

    /** Lets the server end the connection: closing it from here would first read all that was sent. */
    @Override
    public void close() throws SQLException {
        server.query(
                "SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots WHERE slot_name = '" + slot + "'");
        connection.abort(Runnable::run);
    }
}
