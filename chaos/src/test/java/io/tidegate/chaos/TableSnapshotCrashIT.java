package io.tidegate.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidegate.chaos.TableTrial.Mode;
import io.tidegate.chaos.Trial.Standing;
import io.tidegate.testkit.postgres.PostgresServer;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Locale;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Kills a pipeline that reads rows, into tables of another server: in its snapshot, of which it keeps the chunks that are
 * done, where the log takes over, and while tables are added.
 */
class TableSnapshotCrashIT {

    private static final int PER_SECOND = 60;
    private static final int ROUNDS = Integer.getInteger("chaos.rounds", 1);

    /** About ten chunks. */
    private static final MovingWork MOVING = new MovingWork(9_000);

    private static final int ROWS_OF_A_CHUNK = 1_000;

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

    /**
     * The target is held while it is killed: nothing more can be done. Between two processes rows move from chunks that are not
     * read to those that are, and back.
     */
    @ParameterizedTest
    @EnumSource(Mode.class)
    void keepsChunksThatAreDoneAndMissesNoRowThatMovesBetweenThemAndOthers(Mode mode) throws SQLException, IOException {
        long seed = Seeds.of("tables snapshot " + mode);
        SplittableRandom random = new SplittableRandom(seed);
        try (TableTrial trial = trial("snapshot", mode);
                Load mixed = new Load(server, trial.name(), seed, PER_SECOND / 2);
                Load moving = new Load(server, trial.name(), MOVING, seed, PER_SECOND)) {
            MOVING.createTable(server, trial.name());
            trial.start();
            for (int kill = 0; kill < 2 * ROUNDS; kill++) {
                try (FenceGrip grip = trial.grip()) {
                    awaitAttempt(trial, grip, kill + 1);
                    mixed.resume();
                    moving.resume();
                    int goal = 1 + random.nextInt(3) + 2 * (kill % 2);
                    Standing standing = doneChunks(trial, grip, goal);
                    assertThat(standing.snapshotDone()).isFalse();
                    trial.kill();
                    moving.commit(MOVING::acrossAllChunks);
                    trial.start();
                }
            }
            Standing killed = killedAtTheHandOver(trial, 2 * ROUNDS);
            assertThat(killed.chunksKept(MovingWork.TABLE))
                    .as("chunks that were kept")
                    .isPositive();
            trial.awaitReadingTheLog();
            moving.awaitCommits(50);
            mixed.pause();
            moving.pause();
            if (mode == Mode.UPSERT) {
                trial.finish(moving, seed);
            } else {
                trial.drain(moving);
                trial.checkCatchUp(MovingWork.TABLE);
            }
        }
    }

    /** Lets through what it takes until so many chunks of the large table are durably done. */
    private static Standing doneChunks(TableTrial trial, FenceGrip grip, int goal) throws SQLException {
        long before = trial.chunkRows(MovingWork.TABLE);
        while (trial.chunkRows(MovingWork.TABLE) < before + (long) goal * ROWS_OF_A_CHUNK) {
            grip.pass();
        }
        Standing standing = trial.look();
        while (standing.chunksDone(MovingWork.TABLE) < goal) {
            grip.pass();
            standing = trial.look();
        }
        return standing;
    }

    /**
     * The log is opened only when the slot is free: who holds it is the upper bound of the kill. A session looks at it when it
     * begins, too, so it is taken later; meanwhile the target is held.
     */
    private static Standing killedAtTheHandOver(TableTrial trial, int attempt) throws SQLException {
        FenceGrip fence = trial.grip();
        try {
            awaitAttempt(trial, fence, attempt + 1);
            trial.await(
                    "it to be ready, and its sink to wait",
                    () -> !trial.waiting().isEmpty());
        } catch (SQLException | RuntimeException | Error e) {
            fence.close();
            throw e;
        }
        try (SlotGrip grip = SlotGrip.on(server, trial)) {
            fence.close();
            trial.await("the log to be due", () -> trial.engine().log().contains("TG-SLOT-ACTIVE"));
            grip.check();
            Standing killed = trial.kill();
            assertThat(killed.snapshotDone()).isTrue();
            trial.start();
            return killed;
        }
    }

    /** Lets through what it takes until an attempt is planned. */
    private static void awaitAttempt(TableTrial trial, FenceGrip grip, int attempt) throws SQLException {
        while (trial.look().attempt() < attempt) {
            grip.pass();
        }
    }

    private static TableTrial trial(String name, Mode mode) throws SQLException, IOException {
        TableTrial trial =
                new TableTrial(server, target, folder, name + "_" + mode.name().toLowerCase(Locale.ROOT), mode);
        MixedWork.createTables(server, trial.name(), 3_000);
        return trial;
    }

    /** One table is named by the next configuration, another one appears and joins by itself. */
    @Test
    void losesNothingOfTablesThatJoinWhileItIsKilled() throws SQLException, IOException {
        long seed = Seeds.of("tables join");
        try (TableTrial trial = trial("join", Mode.UPSERT);
                Load mixed = new Load(server, trial.name(), seed, PER_SECOND / 2);
                Load moving = new Load(server, trial.name(), MOVING, seed, PER_SECOND)) {
            trial.configure("50ms", "[public.ledger, public.account, public.pair, public.scratch]", false);
            mixed.resume();
            trial.start();
            trial.awaitReadingTheLog();
            trial.awaitArrived(50);
            trial.kill();

            trial.configure("50ms", "[public.ledger, public.account, public.pair, public.scratch, public.doc]", false);
            killedWhileATableJoins(trial, "doc");
            trial.awaitReadingTheLog();
            trial.stop();

            trial.configure("50ms", "[public.*]", true);
            trial.start();
            trial.awaitReadingTheLog();
            MOVING.createTable(server, trial.name());
            moving.resume();
            moving.awaitCommits(20);
            trial.kill();
            killedWhileATableJoins(trial, MovingWork.TABLE);
            trial.awaitReadingTheLog();
            moving.awaitCommits(50);
            mixed.pause();
            moving.pause();
            trial.finish(moving, seed);
        }
    }

    /** The target is held: what is read of the table cannot arrive. Leaves a process that runs. */
    private static void killedWhileATableJoins(TableTrial trial, String table) throws SQLException {
        int attempt = trial.look().attempt();
        for (int kill = 0; kill < 2 * ROUNDS; kill++) {
            try (FenceGrip grip = trial.grip()) {
                trial.start();
                awaitAttempt(trial, grip, attempt + kill + 1);
                for (int i = 0; i < kill; i++) {
                    grip.pass();
                }
                Standing killed = trial.kill();
                assertThat(killed.splitsOpen()).anyMatch(id -> id.contains("/public." + table + "/"));
            }
        }
        trial.start();
    }
}
