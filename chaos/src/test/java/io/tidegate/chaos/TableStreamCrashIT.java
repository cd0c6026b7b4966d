package io.tidegate.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidegate.chaos.TableTrial.Mode;
import io.tidegate.chaos.Trial.Standing;
import io.tidegate.testkit.postgres.PostgresServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Locale;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Kills a pipeline that reads the log and writes tables of another server. */
class TableStreamCrashIT {

    private static final int PER_SECOND = 150;
    private static final int ROUNDS = Integer.getInteger("chaos.rounds", 1);

    @TempDir
    static Path folder;

    private static PostgresServer server;
    private static PostgresServer target;

    @BeforeAll
    static void startServers() {
        server = PostgresServer.version(17).start();
        target = PostgresServer.version(18).start();
    }

    @AfterAll
    static void endServers() {
        server.close();
        target.close();
    }

    /** Some kills hit wherever they may, one the process that waits for its fence, one that has it and waits for a table. */
    @ParameterizedTest
    @EnumSource(Mode.class)
    void holdsEveryCommittedChangeOnceAfterManyKillsUnderLoad(Mode mode) throws SQLException, IOException {
        long seed = Seeds.of("tables " + mode);
        SplittableRandom random = new SplittableRandom(seed);
        try (TableTrial trial = streaming("kills", mode);
                Load load = new Load(server, trial.name(), new MixedWork(true), seed, PER_SECOND)) {
            load.resume();
            for (int round = 0; round < ROUNDS; round++) {
                for (int kill = 0; kill < 3; kill++) {
                    trial.awaitArrived(1 + random.nextInt(200));
                    trial.kill();
                    trial.start();
                }
                trial.awaitArrived(50);
                try (FenceGrip grip = trial.grip()) {
                    trial.await("a transaction to wait for its fence", () -> grip.waiting(1));
                    trial.kill();
                    trial.start();
                    trial.await("the next process to wait for it too", () -> grip.waiting(2));
                }
                trial.awaitArrived(50);
                killInATransaction(trial);
                trial.awaitArrived(50);
            }
            load.pause();
            trial.finish(load, seed);
        }
    }

    /** A table is locked: the sink has begun its transaction, and cannot end it. */
    private static void killInATransaction(TableTrial trial) throws SQLException {
        String table = trial.mode() == Mode.UPSERT ? "ledger" : "changes";
        try (Connection connection = target.connect(trial.name());
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("LOCK TABLE " + table + " IN SHARE MODE");
            trial.await("a transaction to wait for the table", () -> !waits(trial, "relation").isEmpty());
            trial.kill();
            trial.start();
            trial.await("the next process to wait", () -> waits(trial, "%").size() > 1 || !waits(trial, "transactionid").isEmpty());
            connection.rollback();
        }
    }

    /** What the sessions at the target wait for. */
    private static java.util.List<String> waits(TableTrial trial, String event) throws SQLException {
        return trial.atTarget("SELECT wait_event FROM pg_stat_activity WHERE datname = current_database()"
                + " AND wait_event_type = 'Lock' AND wait_event LIKE '" + event + "'");
    }

    /** No checkpoint is due while the processes live that are killed: all of them are given the same again. */
    @ParameterizedTest
    @EnumSource(Mode.class)
    void leavesOutWhatTheTargetHasWhenItIsGivenAgain(Mode mode) throws SQLException, IOException {
        long seed = Seeds.of("tables again " + mode);
        try (TableTrial trial = streaming("again", mode);
                Load load = new Load(server, trial.name(), new MixedWork(true), seed, PER_SECOND)) {
            trial.stop();
            trial.configure("1h");
            load.resume();
            load.awaitCommits(200);
            load.pause();
            trial.start();
            trial.awaitArrived(150);
            Standing first = trial.kill();
            load.resume();
            trial.start();
            trial.awaitArrived(50);
            Standing second = trial.kill();
            assertThat(second.log()).as("no checkpoint was written").isEqualTo(first.log());
            trial.configure("50ms");
            trial.start();
            load.awaitCommits(50);
            load.pause();
            trial.finish(load, seed);
        }
    }

    /** The checkpoint's folder is gone: what has arrived is newer than any checkpoint, whatever time passes before the kill. */
    @Test
    void appendsNothingAgainThatNoCheckpointKnowsOf() throws SQLException, IOException {
        long seed = Seeds.of("tables store");
        try (TableTrial trial = streaming("store", Mode.APPEND);
                Load load = new Load(server, trial.name(), seed, PER_SECOND)) {
            Path aside = trial.state().resolveSibling("aside");
            Files.move(trial.state(), aside);
            load.resume();
            trial.await("the write to fail", () -> trial.engine().log().contains("TG-STATE-WRITE"));
            trial.awaitArrived(500);
            trial.engine().kill();
            Files.move(aside, trial.state());
            trial.standing();
            trial.start();
            load.pause();
            trial.finish(load, seed);
        }
    }

    /** The load rests: what of the large transaction has arrived is all of it, or the part that was committed before the kill. */
    @Test
    void goesOnInsideALargeTransactionWhereTheTargetIs() throws SQLException, IOException {
        long seed = Seeds.of("tables large");
        try (TableTrial trial = streaming("large", Mode.APPEND);
                Load load = new Load(server, trial.name(), seed, PER_SECOND)) {
            int cut = 0;
            for (int attempt = 0; attempt < 2 * ROUNDS; attempt++) {
                long before = trial.arrived();
                try (FenceGrip grip = trial.grip()) {
                    load.largeTransaction(5_000);
                    while (trial.arrived() < before + 1_000) {
                        grip.pass();
                    }
                    trial.kill();
                    cut += trial.arrived() < before + 10_000 ? 1 : 0;
                }
                trial.start();
                trial.await("the transaction", () -> trial.arrived() > before + 10_000);
            }
            assertThat(cut).as("kills inside of the transaction").isEqualTo(2 * ROUNDS);
            trial.finish(load, seed);
        }
    }

    /** A pipeline whose snapshot is done and which reads the log. */
    private static TableTrial streaming(String name, Mode mode) throws SQLException, IOException {
        TableTrial trial =
                new TableTrial(server, target, folder, name + "_" + mode.name().toLowerCase(Locale.ROOT), mode);
        MixedWork.createTables(server, trial.name(), 0);
        trial.start();
        trial.awaitReadingTheLog();
        return trial;
    }
}
