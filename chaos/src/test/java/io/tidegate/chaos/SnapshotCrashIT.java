package io.tidegate.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidegate.chaos.Trial.Standing;
import io.tidegate.testkit.postgres.PostgresServer;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Kills a pipeline before it has come to the log: while it is set up, in its snapshot, and where the log takes over. */
class SnapshotCrashIT {

    private static final int PER_SECOND = 100;
    private static final int BULK_ROWS = 30_000;
    private static final int ROUNDS = Integer.getInteger("chaos.rounds", 1);

    @TempDir
    static Path folder;

    private static PostgresServer server;

    @BeforeAll
    static void startServer() {
        server = PostgresServer.version(17).start();
    }

    @AfterAll
    static void endServer() {
        server.close();
    }

    /**
     * A slot is complete only when the transactions that were open have ended: an open transaction is the upper bound of
     * both kills.
     */
    @Test
    void repairsABirthThatItWasKilledIn() throws SQLException, IOException {
        long seed = Seeds.of("birth");
        try (FileTrial trial = trial("birth", 0);
                Load load = new Load(server, trial.name(), seed, PER_SECOND)) {
            load.resume();
            try (OpenTransaction held = new OpenTransaction(trial.name())) {
                trial.start();
                trial.await(
                        "the slot to be in the making",
                        () -> trial.slot("slot_name").isPresent());
                assertThat(trial.kill().attempt()).isZero();
                trial.start();
                held.next();
                trial.await("a temporary slot to be in the making", () -> {
                    held.next();
                    return !server.query(
                                    "SELECT 1 FROM pg_replication_slots WHERE temporary AND confirmed_flush_lsn IS NULL")
                            .isEmpty();
                });
                assertThat(trial.kill().attempt()).isZero();
            }
            trial.start();
            trial.awaitReadingTheLog();
            load.pause();
            trial.finish(load, seed);
        }
    }

    @Test
    void beginsASnapshotAgainThatItWasKilledIn() throws SQLException, IOException {
        long seed = Seeds.of("snapshot");
        SplittableRandom random = new SplittableRandom(seed);
        try (FileTrial trial = trial("snapshot", BULK_ROWS);
                Load load = new Load(server, trial.name(), seed, PER_SECOND)) {
            load.resume();
            int hit = 0;
            for (int kill = 0; kill < 3 * ROUNDS; kill++) {
                trial.start();
                trial.awaitBytes(1_000_000 + random.nextInt(8_000_000));
                Standing killed = trial.kill();
                hit += killed.attempt() == kill + 1 && !killed.snapshotDone() ? 1 : 0;
            }
            assertThat(hit).as("kills that hit a snapshot").isPositive();
            trial.start();
            trial.awaitBytes(1);
            load.truncate();
            trial.awaitReadingTheLog();
            load.awaitCommits(50);
            load.pause();
            trial.finish(load, seed);
        }
    }

    /** The log is opened only when the slot is free: who holds it is the upper bound of the kill. */
    @Test
    void takesTheLogUpAfterASnapshotThatWasCompleteWhenItWasKilled() throws SQLException, IOException {
        long seed = Seeds.of("handover");
        try (FileTrial trial = trial("handover", BULK_ROWS / 2);
                Load load = new Load(server, trial.name(), seed, PER_SECOND)) {
            load.resume();
            trial.start();
            trial.awaitBytes(1);
            try (SlotGrip grip = SlotGrip.on(server, trial)) {
                trial.await("the log to be due", () -> trial.engine().log().contains("TG-SLOT-ACTIVE"));
                grip.check();
                Standing killed = trial.kill();
                assertThat(killed.snapshotDone()).isTrue();
                assertThat(killed.attempt()).isEqualTo(1);
                trial.start();
                trial.await(
                        "the engine to wait again", () -> trial.engine().log().contains("TG-SLOT-ACTIVE"));
                assertThat(trial.kill().attempt()).isEqualTo(1);
            }
            trial.start();
            trial.awaitReadingTheLog();
            load.awaitCommits(50);
            load.pause();
            trial.finish(load, seed);
        }
    }

    private static FileTrial trial(String name, int bulkRows) throws SQLException, IOException {
        FileTrial trial = new FileTrial(server, folder, name);
        MixedWork.createTables(server, name, bulkRows);
        return trial;
    }

    /** A transaction that has written and does not end, so that no slot made meanwhile is complete. */
    private static final class OpenTransaction implements AutoCloseable {

        private final String database;
        private Connection connection;

        OpenTransaction(String database) throws SQLException {
            this.database = database;
            connection = begin();
        }

        /** Begins another one, then ends the one before: what waited for that goes on, and then waits for this. */
        void next() throws SQLException {
            Connection next = begin();
            close();
            connection = next;
        }

        private Connection begin() throws SQLException {
            Connection begun = server.connect(database);
            begun.setAutoCommit(false);
            try (Statement statement = begun.createStatement()) {
                statement.execute("SELECT pg_current_xact_id()");
            }
            return begun;
        }

        @Override
        public void close() throws SQLException {
            connection.rollback();
            connection.close();
        }
    }
}
