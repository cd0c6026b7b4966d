package io.tidegate.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidegate.chaos.EngineProcess.Launch;
import io.tidegate.chaos.Trial.Standing;
import io.tidegate.testkit.await.Await;
import io.tidegate.testkit.postgres.PostgresServer;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What holds a process where the kill tests want it. */
class HoldIT {

    private static final Duration STALL = Duration.ofMillis(2_500);

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

    /** 600 rows and 3,030 changes; four batches of 200 may be durable before the first of them is reported. */
    @Test
    void keepsAProcessWhereItIsAndLetsItSayWhereHoweverLongItIsLeft() throws SQLException, IOException {
        long seed = Seeds.of("held");
        try (FileTrial trial = new FileTrial(server, folder, "held")) {
            MixedWork.createTables(server, trial.name(), 0);
            try (Load load = new Load(server, trial.name(), seed, 1)) {
                trial.launch(new Launch("settling:1000/3600", Optional.empty()));
                trial.start();
                trial.awaitReadingTheLog();
                load.commitHundreds(30);
                trial.await(
                        "it to be held",
                        () -> trial.engine().log().contains("held at settling, 1,000 of 3,600, until it is killed"));
                int lines = trial.delivered().size();
                assertThat(lines).isBetween(1_000, 1_800);
                Standing standing = trial.look();
                long start = System.nanoTime();
                Await.until("time to pass", STALL.multipliedBy(4), () -> System.nanoTime() - start > STALL.toNanos());
                assertThat(trial.isRunning()).isTrue();
                assertThat(trial.delivered()).hasSize(lines);
                assertThat(trial.look().log()).isGreaterThanOrEqualTo(standing.log());
                trial.kill();

                trial.launch(Launch.PLAIN);
                trial.start();
                trial.finish(load, seed);
            }
        }
    }

    @Test
    void refusesToStartWhereItWouldNotBeHeld() throws SQLException, IOException {
        try (FileTrial trial = new FileTrial(server, folder, "unheld")) {
            MixedWork.createTables(server, trial.name(), 0);
            trial.launch(new Launch("settling:600/600", Optional.empty()));
            trial.start();
            assertThat(trial.engine().awaitExit(Trial.LIMIT)).isEqualTo(2);
            assertThat(trial.engine().log())
                    .contains(
                            "TG-CONFIG-INVALID: -Dtidegate.test.hold=settling:600/600: NUMBER is not from 1 to below TOTAL.");
            assertThat(trial.state()).doesNotExist();
        }
    }
}
