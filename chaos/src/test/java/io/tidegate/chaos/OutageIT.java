package io.tidegate.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidegate.chaos.TableTrial.Mode;
import io.tidegate.testkit.net.TcpProxy;
import io.tidegate.testkit.postgres.PostgresServer;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Takes away what a pipeline stands on, under load: the network, the source's server, the target's. */
class OutageIT {

    private static final int PER_SECOND = 100;
    private static final int SLOW_BYTES_PER_SECOND = 40_000;

    @TempDir
    static Path folder;

    private static PostgresServer server;
    private static PostgresServer target;

    @BeforeAll
    static void startServers() {
        server = PostgresServer.version(17).setting("wal_sender_timeout", "4s").start();
        target = PostgresServer.version(18).start();
    }

    @AfterAll
    static void endServers() {
        server.close();
        target.close();
    }

    @Test
    void holdsEveryChangeWhenBackendsEndAndTheNetworkIsSlowCutOrHalfOpen() throws SQLException, IOException {
        long seed = Seeds.of("network");
        try (TcpProxy proxy = TcpProxy.to(server.port());
                FileTrial trial = new FileTrial(server, folder, "network")) {
            MixedWork.createTables(server, trial.name(), 0);
            trial.sourceBehind(proxy.port());
            trial.configure("50ms");
            try (Load load = new Load(server, trial.name(), new MixedWork(true), seed, PER_SECOND)) {
                trial.start();
                trial.awaitReadingTheLog();
                load.resume();
                trial.awaitBytes(20_000);
                List<String> ended = server.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                        + " WHERE datname = 'network' AND application_name LIKE 'tidegate%'");
                assertThat(ended).as("connections that were ended").isNotEmpty().containsOnly("t");
                trial.awaitBytes(50_000);

                proxy.slow(SLOW_BYTES_PER_SECOND);
                trial.awaitBytes(50_000);
                proxy.fullSpeed();

                proxy.cut();
                load.awaitCommits(20);
                trial.awaitSlot(false);
                proxy.restore();
                trial.awaitBytes(50_000);

                halfOpenUntilTheServerGivesUp(trial, proxy);
                if (Boolean.getBoolean("chaos.all")) {
                    halfOpenUntilTheEngineGivesUp(trial, proxy);
                }
                load.pause();
                trial.finish(load, seed);
                assertThat(trial.logs())
                        .allSatisfy(
                                log -> assertThat(EngineLog.faults(log)).as(log).isEmpty());
            }
        }
    }

    /** Nothing comes and nothing goes, and neither side is told: the server ends it after its own limit. */
    private static void halfOpenUntilTheServerGivesUp(FileTrial trial, TcpProxy proxy) throws SQLException {
        proxy.stall();
        trial.awaitSlot(false);
        proxy.resume();
        trial.awaitBytes(50_000);
    }

    /** The server hears the engine, and not the other way round. */
    private static void halfOpenUntilTheEngineGivesUp(FileTrial trial, TcpProxy proxy) {
        int accepted = proxy.acceptedConnections();
        proxy.stall(TcpProxy.Direction.TO_CLIENT);
        trial.await("the engine to try another connection", () -> proxy.acceptedConnections() > accepted);
        proxy.resume();
        trial.awaitBytes(50_000);
    }

    @Test
    void holdsEveryChangeOnceWhenTheTargetIsLockedOrKilledAndTheSourceStopsWhileTheSinkHangs()
            throws SQLException, IOException {
        long seed = Seeds.of("servers");
        try (TableTrial trial = new TableTrial(server, target, folder, "servers", Mode.APPEND)) {
            MixedWork.createTables(server, trial.name(), 0);
            try (Load load = new Load(server, trial.name(), new MixedWork(true), seed, PER_SECOND)) {
                trial.start();
                trial.awaitReadingTheLog();
                load.resume();
                trial.awaitArrived(50);
                targetLocked(trial, load);
                targetKilled(trial, load);
                sourceStoppedWhileTheSinkHangs(trial, load);
                server.stopImmediate();
                server.start();
                trial.awaitArrived(50);
                load.pause();
                trial.finish(load, seed);
                assertThat(trial.logs())
                        .allSatisfy(
                                log -> assertThat(EngineLog.faults(log)).as(log).isEmpty());
            }
        }
    }

    private static void targetLocked(TableTrial trial, Load load) throws SQLException {
        long before;
        try (Connection connection = target.connect(trial.name());
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("LOCK TABLE changes IN SHARE MODE");
            before = trial.arrived();
            trial.await("the sink to wait", () -> !trial.waiting().isEmpty());
            load.awaitCommits(20);
            assertThat(trial.arrived()).isEqualTo(before);
            connection.rollback();
        }
        trial.awaitArrived(50);
    }

    private static void targetKilled(TableTrial trial, Load load) throws SQLException {
        target.kill();
        load.awaitCommits(20);
        target.start();
        trial.targetIsBack();
        trial.awaitArrived(50);
    }

    /** A shutdown waits for the walsender, and that for a confirmation, which cannot come while the sink hangs. */
    private static void sourceStoppedWhileTheSinkHangs(TableTrial trial, Load load) throws SQLException {
        try (FenceGrip fence = trial.grip()) {
            trial.await("the sink to wait", () -> !trial.waiting().isEmpty());
            load.awaitCommits(20);
            assertThat(server.stopFast(Duration.ofSeconds(15)))
                    .as("the server is down within 15 s")
                    .isTrue();
            fence.check();
            server.start();
        }
        trial.awaitArrived(50);
    }
}
