package io.tidegate.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidegate.testkit.postgres.PostgresServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Kills, stops and cuts off a pipeline that reads the log. */
class StreamCrashIT {

    private static final int PER_SECOND = 150;
    private static final int ROUNDS = Integer.getInteger("chaos.rounds", 1);

    @TempDir
    static Path folder;

    private static PostgresServer server;

    @BeforeAll
    static void startServer() {
        // The server asks for a reply after half of it, so that what is confirmed shows soon.
        server = PostgresServer.version(17).setting("wal_sender_timeout", "4s").start();
    }

    @AfterAll
    static void endServer() {
        server.close();
    }

    /** One kill in each round finds the slot still in use when the next process starts, and that process waits for it. */
    @Test
    void holdsEveryCommittedChangeAfterManyKillsUnderLoad() throws SQLException, IOException {
        long seed = Seeds.of("kills");
        SplittableRandom random = new SplittableRandom(seed);
        try (FileTrial trial = streaming("kills");
                Load load = new Load(server, trial.name(), new MixedWork(true), seed, PER_SECOND)) {
            load.resume();
            for (int round = 0; round < ROUNDS; round++) {
                for (int kill = 0; kill < 3; kill++) {
                    trial.awaitBytes(1 + random.nextInt(300_000));
                    trial.kill();
                    trial.start();
                }
                trial.awaitBytes(100_000);
                trial.kill();
                trial.awaitSlot(false);
                try (SlotGrip grip = SlotGrip.on(server, trial)) {
                    trial.start();
                    trial.await("the engine to wait", () -> trial.engine().log().contains("TG-SLOT-ACTIVE"));
                    grip.check();
                }
                trial.awaitBytes(100_000);
            }
            load.pause();
            trial.finish(load, seed);
        }
    }

    /** The checkpoint's folder is gone while the process runs: no write can end, whatever time passes before the kill. */
    @Test
    void acknowledgesNothingWhileTheCheckpointCannotBeWritten() throws SQLException, IOException {
        long seed = Seeds.of("store");
        try (FileTrial trial = streaming("store");
                Load load = new Load(server, trial.name(), seed, PER_SECOND)) {
            Path aside = trial.state().resolveSibling("aside");
            Files.move(trial.state(), aside);
            load.resume();
            trial.await("the write to fail", () -> trial.engine().log().contains("TG-STATE-WRITE"));
            trial.awaitBytes(200_000);
            trial.awaitReply();
            trial.engine().kill();
            Files.move(aside, trial.state());
            trial.standing();
            trial.start();
            load.pause();
            trial.finish(load, seed);
        }
    }

    @Test
    void stopsPromptlyWhenAskedAndComesBackByItselfWhenItsConnectionOrTheServerEnds() throws SQLException, IOException {
        long seed = Seeds.of("ends");
        try (FileTrial trial = streaming("ends");
                Load load = new Load(server, trial.name(), new MixedWork(true), seed, PER_SECOND)) {
            load.resume();
            for (int round = 0; round < ROUNDS; round++) {
                trial.awaitBytes(100_000);
                server.query("SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots"
                        + " WHERE slot_name = 'tidegate_ends'");
                trial.awaitBytes(200_000);
                trial.stop();
                trial.start();
                trial.awaitBytes(100_000);
                assertThat(server.stopFast(Duration.ofSeconds(30)))
                        .as("the engine does not hold up a shutdown of the server")
                        .isTrue();
                server.start();
                trial.awaitBytes(200_000);
            }
            load.pause();
            trial.finish(load, seed);
        }
    }

    /** A pipeline whose snapshot is done and which reads the log. */
    private static FileTrial streaming(String name) throws SQLException, IOException {
        FileTrial trial = new FileTrial(server, folder, name);
        MixedWork.createTables(server, name, 0);
        trial.start();
        trial.awaitReadingTheLog();
        return trial;
    }
}
