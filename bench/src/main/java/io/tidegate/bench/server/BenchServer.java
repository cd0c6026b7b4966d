package io.tidegate.bench.server;

import io.tidegate.bench.process.Usage;
import io.tidegate.testkit.postgres.PostgresServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A PostgreSQL server with fixed settings, durable ones, on a folder of its own that goes away with it. One database, one
 * table in it at a time.
 */
public final class BenchServer implements AutoCloseable {

    /** What differs from the server's defaults: nothing may happen by itself, and the log of a whole workload is kept. */
    public static final Map<String, String> SETTINGS = settings();

    private static final String TEMPLATE = "bench_template";
    private static final Duration GIVE_UP = Duration.ofMinutes(2);
    /** In which a process ends that has left the list of sessions. */
    private static final long ENDS_MILLIS = 100;

    private final PostgresServer server;

    private BenchServer(PostgresServer server) {
        this.server = server;
    }

    public static BenchServer start(int version) {
        return new BenchServer(
                PostgresServer.version(version).settings(SETTINGS).start());
    }

    private static Map<String, String> settings() {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("shared_buffers", "1GB");
        settings.put("max_wal_size", "64GB");
        settings.put("checkpoint_timeout", "1d");
        settings.put("wal_sender_timeout", "60s");
        settings.put("autovacuum", "off");
        settings.put("jit", "off");
        settings.put("max_parallel_workers_per_gather", "0");
        settings.put("synchronize_seqscans", "off");
        settings.put("max_replication_slots", "40");
        settings.put("max_wal_senders", "40");
        return settings;
    }

    public PostgresServer postgres() {
        return server;
    }

    public String url() {
        return server.jdbcUrl("postgres");
    }

    /** The address as a connector's configuration has it. */
    public String sourceUrl() {
        return "postgresql://" + PostgresServer.SUPERUSER + "@127.0.0.1:" + server.port() + "/postgres?sslmode=disable";
    }

    public Connection connect() throws SQLException {
        return server.connect();
    }

    public void execute(List<String> statements) {
        try (Connection connection = connect();
                var statement = connection.createStatement()) {
            for (String one : statements) {
                statement.execute(one);
            }
        } catch (SQLException e) {
            throw new IllegalStateException("the bench's own statement failed: " + e.getMessage(), e);
        }
    }

    public void execute(String... statements) {
        execute(List.of(statements));
    }

    public String query(String sql) {
        try {
            return String.join("\n", server.query(sql));
        } catch (SQLException e) {
            throw new IllegalStateException("the bench's own query failed: " + sql, e);
        }
    }

    /** Removes tables, publications and slots of the workload before, and writes everything out. */
    public void reset() {
        execute(
                "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots",
                "DROP SCHEMA public CASCADE",
                "CREATE SCHEMA public",
                "DO $$ DECLARE p text; BEGIN FOR p IN SELECT pubname FROM pg_publication LOOP"
                        + " EXECUTE format('DROP PUBLICATION %I', p); END LOOP; END $$",
                "CHECKPOINT");
    }

    /** From here on each {@link #slot} begins. */
    public void mark() {
        execute("SELECT pg_create_logical_replication_slot('" + TEMPLATE + "', 'pgoutput')");
    }

    /** A slot that stands where {@link #mark} was called, and has read nothing. */
    public void slot(String name) {
        execute("SELECT pg_copy_logical_replication_slot('" + TEMPLATE + "', '" + name + "')");
    }

    /** Waits until nobody reads from the slot any more. */
    public void awaitIdle(String slot) throws InterruptedException {
        await("SELECT count(*) FROM pg_replication_slots WHERE active AND slot_name = '" + slot + "'");
    }

    private void await(String noMore) throws InterruptedException {
        long end = System.nanoTime() + GIVE_UP.toNanos();
        while (!query(noMore).equals("0")) {
            if (System.nanoTime() > end) {
                throw new IllegalStateException("still not 0 after " + GIVE_UP + ": " + noMore);
            }
            Thread.sleep(20);
        }
    }

    public void dropSlot(String name) {
        execute("SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = '" + name
                + "'");
    }

    /** Where the server's log ends now. */
    public String logEnd() {
        return query("SELECT pg_current_wal_insert_lsn()");
    }

    /** Processor seconds of all of the server's processes until now, when no client is connected and all of theirs have ended. */
    public double cpuSeconds() throws InterruptedException {
        await("SELECT count(*) FROM pg_stat_activity WHERE backend_type IN ('client backend', 'walsender')"
                + " AND pid <> pg_backend_pid()");
        Thread.sleep(ENDS_MILLIS);
        return Usage.treeSeconds(server.pid());
    }

    @Override
    public void close() {
        server.close();
    }
}
