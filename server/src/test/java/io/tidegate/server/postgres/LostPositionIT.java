package io.tidegate.server.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidegate.engine.Pipeline;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.TidegateException;
import io.tidegate.testkit.await.Await;
import io.tidegate.testkit.postgres.PostgresServer;
import io.tidegate.testkit.postgres.SharedPostgres;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A gap is an error: it ends the pipeline for good, with status 4, and says what is gone and what can be done. */
class LostPositionIT {

    private static final String PUBLICATION = "CREATE PUBLICATION p FOR TABLE t";

    @TempDir
    Path folder;

    private Rig adopting(SharedPostgres.Database database, String... more) throws Exception {
        return new Rig(
                folder,
                database.server(),
                database.name(),
                java.util.stream.Stream.concat(
                                java.util.stream.Stream.of(
                                        Rig.url(
                                                database.name(),
                                                database.server().port()),
                                        "tables: [public.t]",
                                        "snapshot: none"),
                                java.util.Arrays.stream(more))
                        .toList());
    }

    private static TidegateException lost(Rig rig) throws Exception {
        TidegateException failure = rig.failure(ErrorCode.POSITION_LOST);
        assertThat(failure.code().exitStatus()).isEqualTo(4);
        assertThat(failure.advice()).contains("state reset", "snapshot");
        return failure;
    }

    /** Case pg-slot-recreated-silent-gap. */
    @ParameterizedTest
    @ValueSource(ints = {14, 17, 18})
    void endsWhenTheSlotWasMadeAgainAndNamesBothPositions(int version) throws Exception {
        try (SharedPostgres.Database database = SharedPostgres.version(version).fresh();
                Rig rig = adopting(database)) {
            database.execute("CREATE TABLE t (id int PRIMARY KEY)");
            rig.startAndRead();
            rig.sql("INSERT INTO t VALUES (1)");
            rig.awaitDurable("c t 1");
            rig.stop();
            String before = rig.confirmed();
            rig.query("SELECT pg_drop_replication_slot('" + rig.slot + "')");
            rig.sql("INSERT INTO t VALUES (100), (101)");
            rig.query("SELECT pg_create_logical_replication_slot('" + rig.slot + "', 'pgoutput')");
            rig.sql("INSERT INTO t VALUES (102)");
            String after = rig.confirmed();
            rig.start();
            assertThat(lost(rig).getMessage()).contains(rig.slot, before, after);
            assertThat(rig.sink.durable()).containsExactly("c t 1");
            assertThat(rig.confirmed()).isEqualTo(after);
        }
    }

    /** Case pg-slot-recreated-silent-gap: the slot is missing while a position is stored. */
    @Test
    void endsWhenTheSlotIsGoneAndMakesNoOther() throws Exception {
        try (SharedPostgres.Database database = SharedPostgres.version(17).fresh();
                Rig rig = adopting(database)) {
            database.execute("CREATE TABLE t (id int PRIMARY KEY)");
            rig.startAndRead();
            rig.stop();
            String checkpoint = rig.confirmed();
            rig.query("SELECT pg_drop_replication_slot('" + rig.slot + "')");
            rig.start();
            assertThat(lost(rig).getMessage()).contains(rig.slot, checkpoint);
            assertThat(rig.query("SELECT 1 FROM pg_replication_slots WHERE slot_name = '" + rig.slot + "'"))
                    .isEmpty();
        }
    }

    /** Case pg-slot-invalidated-wal-lost, at a start and while the log is read. */
    @ParameterizedTest
    @ValueSource(ints = {14, 17, 18})
    void endsWhenTheServerRemovedTheLogOfTheSlot(int version) throws Exception {
        String fill = "INSERT INTO other.u SELECT g, repeat('x', 1000) FROM generate_series(1, 20000) g";
        try (PostgresServer server = PostgresServer.version(version)
                        .setting("max_slot_wal_keep_size", "1MB")
                        .setting("min_wal_size", "32MB")
                        .setting("max_wal_size", "32MB")
                        .start();
                Rig atStart = Rig.logOnly(folder, server, "postgres");
                Rig reading = Rig.logOnly(folder, server, "postgres")) {
            server.execute(
                    "CREATE SCHEMA other",
                    "CREATE TABLE t (id int PRIMARY KEY)",
                    "CREATE TABLE other.u (id int, v text)");
            atStart.startAndRead();
            atStart.stop();
            reading.startAndRead();
            reading.sink.hang();
            server.execute("INSERT INTO t VALUES (1)");
            reading.awaitHanging();
            String status = "SELECT string_agg(DISTINCT wal_status, ',') FROM pg_replication_slots";
            Await.until("both slots to be lost", Rig.LIMIT, () -> {
                server.execute(fill, "SELECT pg_switch_wal()", "CHECKPOINT");
                return server.query(status).get(0).equals("lost");
            });
            reading.sink.release();
            TidegateException whileReading = lost(reading);
            assertThat(whileReading.getMessage()).contains(reading.slot, "invalidated");
            atStart.start();
            TidegateException beforeReading = lost(atStart);
            assertThat(beforeReading.getMessage()).contains(atStart.slot, "invalidated", "checkpoint");
            if (version >= 17) {
                assertThat(beforeReading.getMessage()).contains("wal_removed");
            }
        }
    }

    /** Case pg-publication-missing-at-slot-creation, first variant. */
    @ParameterizedTest
    @ValueSource(ints = {14, 17, 18})
    void refusesASlotThatIsOlderThanItsPublication(int version) throws Exception {
        try (SharedPostgres.Database database = SharedPostgres.version(version).fresh();
                Rig rig = adopting(
                        database, "slot: {adopt: true, name: s_" + database.name() + "}", "publication: {name: p}")) {
            database.query("SELECT pg_create_logical_replication_slot('s_" + database.name() + "', 'pgoutput')");
            database.execute(
                    "CREATE TABLE t (id int PRIMARY KEY)",
                    "INSERT INTO t VALUES (1)",
                    PUBLICATION,
                    "INSERT INTO t VALUES (2)");
            rig.start();
            assertThat(lost(rig).getMessage()).contains("publication");
            assertThat(rig.sink.durable()).isEmpty();
        }
    }

    /** Case pg-publication-missing-at-slot-creation, second variant. */
    @ParameterizedTest
    @ValueSource(ints = {14, 17, 18})
    void endsWhenThePublicationWasMadeAgain(int version) throws Exception {
        try (SharedPostgres.Database database = SharedPostgres.version(version).fresh();
                Rig rig = adopting(database)) {
            database.execute("CREATE TABLE t (id int PRIMARY KEY)");
            rig.startAndRead();
            rig.stop();
            String publication = rig.slot;
            rig.sql(
                    "DROP PUBLICATION " + publication,
                    "INSERT INTO t VALUES (3)",
                    "CREATE PUBLICATION " + publication + " FOR TABLE t");
            rig.start();
            assertThat(lost(rig).getMessage()).contains(publication);
            assertThat(rig.sink.durable()).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {14, 18})
    void endsWhenThePublicationIsDroppedWhileTheLogIsRead(int version) throws Exception {
        try (SharedPostgres.Database database = SharedPostgres.version(version).fresh();
                Rig rig = adopting(database)) {
            database.execute("CREATE TABLE t (id int PRIMARY KEY)");
            rig.startAndRead();
            rig.sql("DROP PUBLICATION " + rig.slot, "INSERT INTO t VALUES (3)");
            assertThat(lost(rig).getMessage()).contains(rig.slot);
        }
    }

    @Test
    void noticesWithinAMinuteThatATableWasTakenOutOfThePublication() throws Exception {
        try (SharedPostgres.Database database = SharedPostgres.version(17).fresh();
                Rig rig = adopting(database)) {
            database.execute("CREATE TABLE t (id int PRIMARY KEY)", "CREATE TABLE o (id int PRIMARY KEY)");
            Pipeline pipeline = rig.startAndRead();
            rig.sql("CREATE TABLE later (id int)", "ALTER PUBLICATION " + rig.slot + " ADD TABLE o");
            rig.passTime(Duration.ofSeconds(61));
            rig.sql("INSERT INTO t VALUES (1)");
            rig.awaitDurable("c t 1");
            rig.passTime(Duration.ofSeconds(61));
            rig.sql("INSERT INTO t VALUES (2)");
            rig.awaitDurable("c t 2");
            assertThat(pipeline.outcome()).isNull();
            rig.sql("ALTER PUBLICATION " + rig.slot + " DROP TABLE t", "INSERT INTO t VALUES (3)");
            rig.passTime(Duration.ofSeconds(61));
            Await.until(
                    "the table to be lost",
                    Duration.ofSeconds(30),
                    () -> pipeline.status().problems().stream()
                            .anyMatch(problem -> problem.code() == ErrorCode.TABLE_LOST
                                    && problem.object().equals("public.t")
                                    && problem.problem().contains(rig.slot)));
            rig.sql("INSERT INTO o VALUES (4)");
            assertThat(pipeline.outcome()).as("the others go on").isNull();
        }
    }
}
