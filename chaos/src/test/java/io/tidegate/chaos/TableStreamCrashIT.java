package io.tidegate.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidegate.chaos.TableTrial.Mode;
import io.tidegate.chaos.Trial.Standing;
import io.tidegate.testkit.postgres.PostgresServer;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
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
                    killWaiting(trial);
                    grip.check();
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
            killWaiting(trial);
            connection.rollback();
        }
    }

    /** Kills a process that waits for a lock at the target; returns when the next one waits as well. */
    private static void killWaiting(TableTrial trial) throws SQLException {
        trial.await("the sink to wait for a lock", () -> !trial.waiting().isEmpty());
        List<String> before = trial.waiting();
        trial.kill();
        trial.start();
        trial.await("the next process to wait", () -> !before.containsAll(trial.waiting()));
    }

    /**
     * No checkpoint is due while the processes live that are killed: all of them are given the same again. Rows that are written
     * by key would not show it.
     */
    @Test
    void leavesOutWhatTheTargetHasWhenItIsGivenAgain() throws SQLException, IOException {
        long seed = Seeds.of("tables again");
        try (TableTrial trial = streaming("again", Mode.APPEND);
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
