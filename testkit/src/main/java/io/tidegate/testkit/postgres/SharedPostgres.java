package io.tidegate.testkit.postgres;

import io.tidegate.testkit.await.Await;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * One running server per major version and JVM, with a new database for each test that asks for one.
 *
 * <p>For tests that do not stop the server and need no settings of their own. It ends with the JVM.
 */
public final class SharedPostgres {
    private static final Map<Integer, SharedPostgres> RUNNING = new ConcurrentHashMap<>();
    private static final Duration DROP_LIMIT = Duration.ofSeconds(20);

    private final PostgresServer server;
    private final AtomicInteger lastNumber = new AtomicInteger();

    private SharedPostgres(PostgresServer server) {
        this.server = server;
    }

    /** The server of this major version; started if this is the first call for it. */
    public static SharedPostgres version(int major) {
        return RUNNING.computeIfAbsent(
                major,
                version -> new SharedPostgres(PostgresServer.version(version).start()));
    }

    /** A new, empty database. */
    public Database fresh() throws SQLException {
        String name = "test_" + lastNumber.incrementAndGet();
        server.execute("CREATE DATABASE " + name);
        return new Database(server, name);
    }

    /** A database of one test. Closing it ends its sessions and drops it with its replication slots. */
    public static final class Database implements AutoCloseable {
        private final PostgresServer server;
        private final String name;

        private Database(PostgresServer server, String name) {
            this.server = server;
            this.name = name;
        }

        public String name() {
            return name;
        }

        /** The server all the tests share: not to be stopped. */
        public PostgresServer server() {
            return server;
        }

        public String jdbcUrl() {
            return server.jdbcUrl(name);
        }

        /** A new connection of the superuser. */
        public Connection connect() throws SQLException {
            return server.connect(name);
        }

        public Connection connect(Properties properties) throws SQLException {
            return server.connect(name, properties);
        }

        /** Executes statements as superuser, each in a transaction of its own. */
        public void execute(String... sql) throws SQLException {
            server.executeIn(name, sql);
        }

        /** The rows of a query as text, see {@link PostgresServer#queryIn}. */
        public List<String> query(String sql) throws SQLException {
            return server.queryIn(name, sql);
        }

        @Override
        public void close() throws SQLException {
            // Nobody new gets in: what reconnects by itself would else take a slot again.
            server.execute("ALTER DATABASE " + name + " ALLOW_CONNECTIONS false");
            Await.until(
                    "the replication slots of " + name + " to be released",
                    DROP_LIMIT,
                    () -> server.query("SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots"
                                    + " WHERE database = '" + name + "' AND active_pid IS NOT NULL")
                            .isEmpty());
            // Takes the slots with it once nobody uses them.
            server.execute("DROP DATABASE " + name + " WITH (FORCE)");
        }
    }
}
