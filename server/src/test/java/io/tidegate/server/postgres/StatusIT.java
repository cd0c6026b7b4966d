package io.tidegate.server.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidegate.engine.PipelineStatus;
import io.tidegate.engine.PipelineStatus.State;
import io.tidegate.testkit.postgres.SharedPostgres;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;
import org.postgresql.replication.PGReplicationStream;

/** What is said of a pipeline on a real server; the engine's clock runs ahead where a wait would be long. */
class StatusIT {

    /** Below any limit, so that no one step is taken for a silence. */
    private static final Duration STEP = Duration.ofSeconds(9);

    @TempDir
    Path folder;

    /** Case pg-idle-table-busy-database, as its operator sees it. */
    @ParameterizedTest
    @ValueSource(ints = {14, 18})
    void anIdleDatabaseAndOneThatIsBusyElsewhereAreNotStalled(int version) throws Exception {
        try (SharedPostgres.Database database = SharedPostgres.version(version).fresh();
                Rig rig = Rig.logOnly(
                        folder,
                        database.server(),
                        database.name(),
                        "public.t",
                        database.server().port())) {
            database.execute("CREATE TABLE t (id int PRIMARY KEY)", "CREATE TABLE busy (x text)");
            rig.startAndRead();
            rig.sql("INSERT INTO t VALUES (1)");
            rig.awaitDurable("c t 1");
            for (int i = 0; i < 14; i++) {
                if (i % 7 == 3) {
                    rig.sql("INSERT INTO busy SELECT repeat('x', 1000) FROM generate_series(1, 3000)");
                }
                if (i % 7 == 5) {
                    rig.sql("CHECKPOINT");
                }
                String end = rig.currentLsn(); // the server's clock does not run ahead: let it follow
                rig.await("the slot to follow", () -> rig.confirmedTo(end));
                rig.await(
                        "all to be confirmed",
                        () -> rig.status().places().unacknowledged().time().isZero());
                Instant before = rig.status().at();
                rig.passTime(STEP);
                rig.await("a status", () -> rig.status().at().isAfter(before.plus(STEP)));
                assertThat(rig.status().stalledOn()).as("step %s", i).isEmpty();
            }
            PipelineStatus status = rig.status();
            assertThat(status.state()).isEqualTo(State.RUNNING);
            assertThat(status.sessions()).isEqualTo(1);
            assertThat(status.measures()).containsKeys("retained_bytes", "acknowledged_position");
            rig.await(
                    "nothing to be left behind",
                    () -> Double.valueOf(0)
                            .equals(rig.status().places().unacknowledged().units()));
        }
    }

    @Test
    void aSlotThatSomebodyElseUsesIsWhatThePipelineIsStalledOn() throws Exception {
        try (SharedPostgres.Database database = SharedPostgres.version(17).fresh();
                Rig rig = Rig.logOnly(folder, database.server(), database.name())) {
            database.execute("CREATE TABLE t (id int PRIMARY KEY)");
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
                rig.await("two failures", () -> {
                    PipelineStatus.Failure failure = rig.status().lastError();
                    return failure != null && failure.count() >= 2;
                });
                rig.await("the loop to be seen", () -> {
                    rig.passTime(STEP);
                    return rig.status().state() == State.STALLED;
                });
                assertThat(rig.status().stalledOn()).contains("session after session fails", rig.slot, "pid " + holder);
                stream.close();
            }
            rig.await("it to go on", () -> rig.status().state() == State.RUNNING);
            rig.sql("INSERT INTO t VALUES (1)");
            rig.awaitDurable("c t 1");
        }
    }

    /** Case pg-walsender-timeout-slow-sink, as its operator sees it. */
    @Test
    void aSinkThatHangsIsWhatThePipelineIsStalledOnAndTheConnectionIsKept() throws Exception {
        try (SharedPostgres.Database database = SharedPostgres.version(17).fresh();
                Rig rig = Rig.logOnly(folder, database.server(), database.name())) {
            database.execute("CREATE TABLE t (id int PRIMARY KEY)");
            rig.startAndRead();
            rig.sink.hang();
            rig.sql("INSERT INTO t VALUES (1)");
            rig.awaitHanging();
            assertThat(rig.status().stalledOn()).isEmpty();

            rig.await("the stall to be seen", () -> {
                rig.passTime(STEP);
                return rig.status().state() == State.STALLED;
            });

            assertThat(rig.status().stalledOn()).startsWith("the sink's ");
            rig.sink.release();
            rig.await("it to go on", () -> rig.status().state() == State.RUNNING);
            assertThat(rig.status().sessions()).isEqualTo(1);
        }
    }
}
