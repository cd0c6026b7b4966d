package io.tidegate.server.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidegate.testkit.await.Await;
import io.tidegate.testkit.postgres.PostgresServer;
import io.tidegate.testkit.postgres.SharedPostgres;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A sink that blocks, for however long, costs no connection; and does not keep the server from shutting down. */
class SlowSinkIT {

    private static final int ROWS = 60_000;
    private static final String SIXTY_MEGABYTES =
            "INSERT INTO big SELECT g, repeat('x', 1000) FROM generate_series(1, " + ROWS + ") g";

    @TempDir
    Path folder;

    private static void wait(Duration time) {
        long start = System.nanoTime();
        Await.until("time to pass", time.multipliedBy(2), () -> System.nanoTime() - start > time.toNanos());
    }

    private static List<String> rows() {
        return IntStream.rangeClosed(1, ROWS).mapToObj(n -> "c big " + n).toList();
    }

    /** Case pg-walsender-timeout-slow-sink: in the middle of a large transaction. */
    @ParameterizedTest
    @ValueSource(ints = {14, 17, 18})
    void keepsTheConnectionWhileTheSinkBlocksForLongerThanTheServerWaits(int version) throws Exception {
        SharedPostgres shared = SharedPostgres.version(version);
        try (SharedPostgres.Database database = shared.fresh();
                Rig rig = Rig.logOnly(folder, database.server(), database.name())) {
            database.execute(
                    "CREATE TABLE big (id int PRIMARY KEY, v text)",
                    "ALTER DATABASE " + database.name() + " SET wal_sender_timeout = '2s'");
            rig.startAndRead();
            int walsender = rig.walsender();
            rig.sink.hangAfter(2);
            rig.sql(SIXTY_MEGABYTES);
            String end = rig.currentLsn();
            rig.awaitHanging();
            wait(Duration.ofSeconds(5));
            assertThat(rig.walsender()).isEqualTo(walsender);
            assertThat(rig.confirmedTo(end)).isFalse();
            rig.sink.release();
            rig.awaitSize(ROWS);
            assertThat(rig.sink.durable()).isEqualTo(rows());
            assertThat(rig.walsender()).isEqualTo(walsender);
            assertThat(rig.status().sessions()).isEqualTo(1);
        }
    }

    /**
     * Case pg-clean-shutdown-blocked, with sinks that hang: one with the socket full, one with it empty; and one that has
     * nothing to do.
     */
    @ParameterizedTest
    @ValueSource(ints = {14, 17, 18})
    void letsTheServerShutDownWhileTheSinkHangsAndComesBack(int version) throws Exception {
        try (PostgresServer server = PostgresServer.version(version).start();
                Proxy proxy = new Proxy(server.port());
                Rig full = Rig.logOnly(folder, server, "postgres", "public.big", server.port());
                Rig empty = Rig.logOnly(folder, server, "postgres", "public.small", proxy.port());
                Rig idle = Rig.logOnly(folder, server, "postgres", "public.quiet", server.port())) {
            server.execute(
                    "CREATE TABLE big (id int PRIMARY KEY, v text)",
                    "CREATE TABLE small (id int PRIMARY KEY)",
                    "CREATE TABLE quiet (id int PRIMARY KEY)");
            full.startAndRead();
            empty.startAndRead();
            idle.startAndRead();
            full.sink.hangAfter(2);
            empty.sink.hang();
            server.execute("INSERT INTO small VALUES (1)");
            empty.awaitHanging();
            server.execute(SIXTY_MEGABYTES);
            full.awaitHanging();
            long replied = proxy.replicationBytesSent();
            long start = System.nanoTime();
            assertThat(server.stopFast(Duration.ofSeconds(15)))
                    .as("stopped in 15 s; %s; %s; %s", full.describe(), empty.describe(), idle.describe())
                    .isTrue();
            long seconds = Duration.ofNanos(System.nanoTime() - start).toSeconds() + 1;
            // one status takes 39 bytes, and a new connection is not made any more
            assertThat((proxy.replicationBytesSent() - replied) / 39).isLessThanOrEqualTo(10 * seconds + 2);
            server.start();
            full.sink.release();
            empty.sink.release();
            server.execute("INSERT INTO quiet VALUES (1)", "INSERT INTO small VALUES (2)");
            idle.awaitDurable("c quiet 1");
            empty.awaitDurable("c small 1", "c small 2");
            full.await("all rows, twice those of a half delivered transaction", () -> {
                List<String> durable = full.sink.durable();
                return durable.size() >= ROWS
                        && durable.subList(durable.size() - ROWS, durable.size()).equals(rows());
            });
        }
    }
}
