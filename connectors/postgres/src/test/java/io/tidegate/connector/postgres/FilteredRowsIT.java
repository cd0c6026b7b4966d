package io.tidegate.connector.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidegate.spi.SourceSession;
import io.tidegate.testkit.await.Await;
import io.tidegate.testkit.postgres.PostgresServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * An update that moves a row into a publication's row filter is an insert in the log, which leaves out what lies in TOAST:
 * the row is read, and only once others can see the transaction.
 */
class FilteredRowsIT {

    private static final Duration LIMIT = Duration.ofSeconds(30);

    private static SourceLoop born(PostgresServer server) throws Exception {
        server.execute(
                "CREATE TABLE t (region text, id int, doc text, PRIMARY KEY (region, id))",
                "ALTER TABLE t ALTER doc SET STORAGE EXTERNAL",
                "INSERT INTO t VALUES ('us', 1, repeat('d', 5000)), ('us', 2, repeat('e', 5000))",
                "CREATE PUBLICATION eu FOR TABLE t WHERE (region = 'eu') WITH (publish_via_partition_root = true)");
        return Sources.born(Sources.of(server, "publication.name", "eu"));
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static boolean is(PostgresServer server, String condition) throws SQLException {
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement();
                java.sql.ResultSet rows = statement.executeQuery(
                        "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE " + condition + ")")) {
            rows.next();
            return rows.getBoolean(1);
        }
    }

    @Test
    void aRowThatEntersTheFilterComesWholeAsSoonAsOthersSeeIt() throws Exception {
        ExecutorService background = Executors.newFixedThreadPool(2);
        try (PostgresServer server = PostgresServer.version(17)
                .setting("synchronous_commit", "local")
                .setting("synchronous_standby_names", "nobody")
                .start()) {
            SourceLoop loop = born(server);
            assertThat(loop.changes).isEmpty();
            CompletableFuture<Void> write = CompletableFuture.runAsync(
                    () -> {
                        try (Connection connection = server.connect()) {
                            execute(connection, "SET synchronous_commit = on");
                            execute(connection, "UPDATE t SET region = 'eu' WHERE id = 1");
                        } catch (SQLException e) {
                            throw new AssertionError(e);
                        }
                    },
                    background);
            Await.until("the commit to wait for its standby", LIMIT, () -> is(server, "wait_event = 'SyncRep'"));
            try (SourceSession session = loop.open()) {
                loop.prepare(session);
                CompletableFuture<Void> read = CompletableFuture.runAsync(
                        () -> {
                            try {
                                loop.readLog(session, changes -> !changes.isEmpty());
                            } catch (InterruptedException e) {
                                throw new AssertionError(e);
                            }
                        },
                        background);
                Await.until("the row to be waited for", LIMIT, () -> is(server, "wait_event = 'PgSleep'"));
                assertThat(loop.changes).as("nothing false is given meanwhile").isEmpty();
                server.execute("ALTER SYSTEM SET synchronous_standby_names = ''", "SELECT pg_reload_conf()");
                write.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
                read.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
            }
            assertThat(loop.changes).isEqualTo(List.of("c public.t region=eu id=1 doc=" + "d".repeat(5000)));
        } finally {
            background.shutdownNow();
        }
    }
}
