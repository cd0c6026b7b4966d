package io.tidegate.testkit.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;

class SharedPostgresIT {
    @Test
    void givesEachTestADatabaseOfItsOwnOnOneServer() throws SQLException {
        try (SharedPostgres.Database first = SharedPostgres.version(17).fresh();
                SharedPostgres.Database second = SharedPostgres.version(17).fresh()) {
            first.execute("CREATE TABLE mine (id int)");

            assertThat(second.query("SELECT to_regclass('mine')")).containsExactly("");
            assertThat(first.query("SELECT to_regclass('mine')")).containsExactly("mine");
            assertThat(second.server()).isSameAs(first.server());
        }
    }

    @Test
    void dropsTheDatabaseWithSlotsAndSessionsThatAreInUse() throws SQLException {
        SharedPostgres.Database database = SharedPostgres.version(17).fresh();
        database.execute("SELECT pg_create_logical_replication_slot('idle', 'pgoutput')");
        database.execute("SELECT pg_create_logical_replication_slot('busy', 'pgoutput')");
        try (Connection session = database.connect();
                Connection receiver = database.server().connectForReplication(database.name())) {
            assertThat(session.isValid(1)).isTrue();
            var stream = receiver.unwrap(PGConnection.class)
                    .getReplicationAPI()
                    .replicationStream()
                    .logical()
                    .withSlotName("busy")
                    .withSlotOption("proto_version", "1")
                    .withSlotOption("publication_names", "none")
                    .start();
            assertThat(stream.isClosed()).isFalse();

            database.close();

            PostgresServer server = database.server();
            assertThat(server.query(
                            "SELECT slot_name FROM pg_replication_slots WHERE database = '" + database.name() + "'"))
                    .isEmpty();
            assertThat(server.query("SELECT 1 FROM pg_database WHERE datname = '" + database.name() + "'"))
                    .isEmpty();
        }
    }
}
