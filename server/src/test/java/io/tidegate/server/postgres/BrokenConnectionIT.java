package io.tidegate.server.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidegate.engine.PipelineStatus;
import io.tidegate.spi.ErrorCode;
import io.tidegate.testkit.postgres.PostgresServer;
import io.tidegate.testkit.postgres.SharedPostgres;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;
import org.postgresql.replication.PGReplicationStream;

/** Broken and silent connections, dying servers, slots in use: the pipeline comes back, and nothing is missing. */
class BrokenConnectionIT {

    private static final int ROWS = 30_000;
    private static final String TABLE = "CREATE TABLE t (id int PRIMARY KEY, v text)";

    @TempDir
    Path folder;

    private static String insert(int from) {
        return "INSERT INTO t SELECT g, repeat('x', 1000) FROM generate_series(" + from + ", " + (from + ROWS - 1)
                + ") g";
    }

    private static void awaitWhole(Rig rig, int from) {
        List<String> rows =
                IntStream.range(from, from + ROWS).mapToObj(n -> "c t " + n).toList();
        rig.await("the whole transaction from " + from + " on, in order", () -> {
            List<String> durable = rig.sink.durable();
            return durable.size() >= ROWS
                    && durable.subList(durable.size() - ROWS, durable.size()).equals(rows);
        });
    }

    private static void awaitError(Rig rig, ErrorCode code) {
        rig.await("the failure " + code, () -> {
            PipelineStatus.Failure failure = rig.status().lastError();
            return failure != null && failure.code() == code;
        });
    }

    /** Stops in the middle of the delivery of a transaction. */
    private static void halfDelivered(Rig rig, int from) throws Exception {
        rig.sink.hangAfter(3);
        rig.sql(insert(from));
        rig.awaitHanging();
    }

    /** Case pg-reconnect-after-terminate: the backend is terminated, then the network is cut. */
    @ParameterizedTest
    @ValueSource(ints = {14, 17, 18})
    void receivesAHalfDeliveredTransactionAgainWholeWhenItsConnectionBreaks(int version) throws Exception {
        try (SharedPostgres.Database database = SharedPostgres.version(version).fresh();
                Proxy proxy = new Proxy(database.server().port());
                Rig rig = Rig.logOnly(folder, database.server(), database.name(), "public.*", proxy.port())) {
            database.execute(TABLE);
            rig.startAndRead();
            int from = 1;
            boolean again = false;
            // the server may have sent all before it ends: then the break did not hit the middle
            for (int attempt = 0; attempt < 5 && !again; attempt++) {
                int before = rig.sink.size();
                halfDelivered(rig, from);
                rig.awaitReaderFull();
                // it can end only when what it still sends is read, or the connection closed
                database.query("SELECT pg_terminate_backend(" + rig.walsender() + ")");
                rig.sink.release();
                awaitWhole(rig, from);
                again = rig.sink.size() - before > ROWS;
                from += ROWS;
            }
            assertThat(again)
                    .as("a transaction was delivered in part, and then whole")
                    .isTrue();
            halfDelivered(rig, from);
            long sessions = rig.status().sessions();
            proxy.cut();
            rig.sink.release();
            awaitWhole(rig, from);
            assertThat(rig.status().sessions()).isGreaterThan(sessions);
        }
    }

    /** Case pg-reconnect-after-terminate: packets are dropped. The server lets go of the slot when it has waited enough. */
    @Test
    void noticesASilentServerWhileItReadsAndComesBack() throws Exception {
        try (SharedPostgres.Database database = SharedPostgres.version(17).fresh();
                Proxy proxy = new Proxy(database.server().port());
                Rig rig = Rig.logOnly(folder, database.server(), database.name(), "public.*", proxy.port())) {
            database.execute(TABLE, "ALTER DATABASE " + database.name() + " SET wal_sender_timeout = '4s'");
            rig.startAndRead();
            rig.sql("INSERT INTO t VALUES (0)");
            rig.awaitDurable("c t 0");
            proxy.stallReplication();
            rig.passTime(Duration.ofSeconds(29));
            rig.sql("INSERT INTO t VALUES (1)");
            assertThat(rig.status().sessions()).isEqualTo(1);
            rig.passTime(Duration.ofSeconds(2));
            awaitError(rig, ErrorCode.SOURCE_SILENT);
            rig.awaitDurable("c t 1");
            assertThat(rig.sink.durable()).containsExactly("c t 0", "c t 1");
        }
    }

    @Test
    void doesNotCallAServerSilentWhileThereIsNoRoomToRead() throws Exception {
        try (SharedPostgres.Database database = SharedPostgres.version(17).fresh();
                Proxy proxy = new Proxy(database.server().port());
                Rig rig = Rig.logOnly(folder, database.server(), database.name(), "public.*", proxy.port())) {
            database.execute(TABLE);
            rig.startAndRead();
            halfDelivered(rig, 1);
            rig.await("no room", () -> rig.status().unsettledBatches() == 8);
            rig.awaitReaderFull();
            proxy.stallReplication();
            for (int i = 0; i < 20; i++) {
                rig.passTime(Duration.ofSeconds(10));
                int tick = i;
                rig.await(
                        "the pipeline to go on",
                        () -> rig.query("SELECT " + tick).size() == 1);
            }
            proxy.resume();
            rig.sink.release();
            rig.awaitSize(ROWS);
            assertThat(rig.status().sessions()).isEqualTo(1);
            assertThat(rig.sink.size()).isEqualTo(ROWS);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {17})
    void comesBackWhenTheServerWasStoppedAtOnceOrKilled(int version) throws Exception {
        try (PostgresServer server = PostgresServer.version(version).start();
                Rig rig = Rig.logOnly(folder, server, "postgres")) {
            server.execute(TABLE);
            rig.startAndRead();
            halfDelivered(rig, 1);
            server.stopImmediate();
            rig.sink.release();
            server.start();
            awaitWhole(rig, 1);
            halfDelivered(rig, ROWS + 1);
            server.kill();
            rig.sink.release();
            server.start();
            awaitWhole(rig, ROWS + 1);
        }
    }

    /** Case pg-slot-busy, first half: whoever holds the slot is named, and waited for. */
    @Test
    void waitsForASlotThatIsInUseAndSaysByWhom() throws Exception {
        try (SharedPostgres.Database database = SharedPostgres.version(17).fresh();
                Rig rig = Rig.logOnly(folder, database.server(), database.name())) {
            database.execute(TABLE);
            rig.startAndRead();
            rig.stop();
            try (Connection other = database.server().connectForReplication(database.name())) {
                PGReplicationStream stream = other.unwrap(PGConnection.class)
                        .getReplicationAPI()
                        .replicationStream()
                        .logical()
                        .withSlotName(rig.slot)
                        .withSlotOption("proto_version", 1)
                        .withSlotOption("publication_names", rig.slot)
                        .withAutomaticFlush(false)
                        .start();
                int holder = rig.walsender();
                rig.start();
                awaitError(rig, ErrorCode.SLOT_ACTIVE);
                assertThat(rig.status().lastError())
                        .extracting(PipelineStatus.Failure::message)
                        .asString()
                        .contains(rig.slot, "pid " + holder, "application ", "host 127.0.0.1");
                assertThat(rig.walsender()).isEqualTo(holder);
                stream.close();
            }
            rig.sql("INSERT INTO t VALUES (1)");
            rig.awaitDurable("c t 1");
        }
    }

    /** Case pg-slot-busy, second half. */
    @Test
    void aSecondPipelineNeverTakesTheSlotAway() throws Exception {
        try (SharedPostgres.Database database = SharedPostgres.version(17).fresh();
                Rig first = Rig.logOnly(folder, database.server(), database.name());
                Rig stranger = sharing(first, database, false);
                Rig adopter = sharing(first, database, true)) {
            database.execute(TABLE);
            first.startAndRead();
            int walsender = first.walsender();
            stranger.start();
            stranger.failure(ErrorCode.STATE_MISSING);
            adopter.start();
            awaitError(adopter, ErrorCode.SLOT_ACTIVE);
            assertThat(adopter.status().lastError())
                    .extracting(PipelineStatus.Failure::message)
                    .asString()
                    .contains("pid " + walsender, "application tidegate " + first.name, "host 127.0.0.1");
            database.execute("INSERT INTO t VALUES (1)");
            first.awaitDurable("c t 1");
            assertThat(first.walsender()).isEqualTo(walsender);
            assertThat(adopter.sink.durable()).isEmpty();
        }
    }

    private Rig sharing(Rig first, SharedPostgres.Database database, boolean adopt) throws Exception {
        return new Rig(
                folder,
                database.server(),
                database.name(),
                Rig.url(database.name(), database.server().port()),
                "tables: ['public.*']",
                "snapshot: none",
                "slot: {name: " + first.slot + ", adopt: " + adopt + "}",
                "publication: {name: " + first.slot + "}");
    }
}
