package io.tidegate.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidegate.testkit.await.Await;
import io.tidegate.testkit.postgres.PostgresServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** I14: two pipelines in one process, on two databases. */
class TwoPipelinesIT {

    private static final int POSITION_LOST = 4;

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
    void aSinkThatCannotBeWrittenHoldsUpItsOwnPipelineOnly() throws SQLException, IOException {
        long seed = Seeds.of("sinks");
        try (FileTrial stuck = trial("stuck");
                FileTrial free = trial("free");
                Load load = new Load(server, free.name(), seed, 50)) {
            Files.createFile(stuck.out());
            EngineProcess engine = free.startWith(stuck);
            load.resume();
            free.await("the sink to fail", () -> engine.log().contains("TG-SINK-FAILED"));
            free.awaitReadingTheLog();
            load.awaitCommits(20);
            load.pause();
            long token = load.mark();
            free.await("the other pipeline's changes", () -> free.endsWith("\"token\":" + token + "}"));
            assertThat(stuck.bytes()).isZero();

            server.executeIn("stuck", "INSERT INTO ledger (tab, op, n, token) VALUES ('mark', 'm', 0, 77)");
            Files.delete(stuck.out());
            // in the log, or in the snapshot of an attempt that began after it
            free.await("it to go on when it can", () -> stuck.holds("\"token\":77}"));
            free.finish(load, seed);
        }
    }

    @Test
    void aPipelineThatLostItsPositionHaltsAloneAndGivesTheExitStatusAtTheEnd() throws SQLException, IOException {
        long seed = Seeds.of("halts");
        try (FileTrial lost = trial("lost");
                FileTrial well = trial("well");
                Load load = new Load(server, well.name(), seed, 50)) {
            EngineProcess engine = well.startWith(lost);
            lost.awaitSlot(true);
            well.awaitReadingTheLog();
            Await.until("the slot to be dropped", Trial.LIMIT, () -> {
                server.query("SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots"
                        + " WHERE slot_name = 'tidegate_lost' AND active");
                return dropped();
            });
            well.await("it to halt", () -> engine.log().contains("TG-POSITION-LOST"));
            load.resume();
            load.awaitCommits(20);
            load.pause();
            long token = load.mark();
            well.await("the other pipeline's changes", () -> well.endsWith("\"token\":" + token + "}"));

            assertThat(engine.isAlive()).isTrue();
            assertThat(engine.stop(Trial.STOP_LIMIT)).as(engine.log()).isEqualTo(POSITION_LOST);
            well.start();
            well.awaitReadingTheLog();
            well.finish(load, seed);
        }
    }

    /** The engine takes the slot again at once: the drop is tried until it comes between. */
    private static boolean dropped() {
        try {
            server.query("SELECT pg_drop_replication_slot('tidegate_lost')");
            return true;
        } catch (SQLException inUse) {
            assertThat(inUse.getSQLState()).isEqualTo("55006");
            return false;
        }
    }

    private static FileTrial trial(String name) throws SQLException, IOException {
        FileTrial trial = new FileTrial(server, folder, name);
        MixedWork.createTables(server, name, 0);
        return trial;
    }
}
