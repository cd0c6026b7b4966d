package io.tidegate.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidegate.chaos.Trial.Standing;
import io.tidegate.testkit.postgres.PostgresServer;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Kills a pipeline in its snapshot, wherever that hits, under load. */
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

    private static FileTrial trial(String name, int bulkRows) throws SQLException, IOException {
        FileTrial trial = new FileTrial(server, folder, name);
        MixedWork.createTables(server, name, bulkRows);
        return trial;
    }
}
