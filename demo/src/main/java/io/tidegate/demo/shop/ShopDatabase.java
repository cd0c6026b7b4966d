package io.tidegate.demo.shop;

import io.tidegate.demo.compare.ChangeId;
import io.tidegate.demo.compare.CommitOrder;
import io.tidegate.demo.compare.CommittedChange;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.TidegateException;
import io.tidegate.testkit.postgres.PostgresServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.function.Consumer;

/**
 * The shop's database on a server of its own, which is gone without a trace after {@link #close}, and when this process ends
 * in whatever way. Its methods may be called by any thread.
 */
public final class ShopDatabase implements AutoCloseable {

    public static final int POSTGRES_VERSION = 17;
    public static final List<String> TABLES = List.of("customers", "order_items", "orders", "products");

    private static final String DATABASE = "shop";
    private static final String ROLE = "shop";

    private final PostgresServer server;
    private final long logStart;

    private ShopDatabase(PostgresServer server, long logStart) {
        this.server = server;
        this.logStart = logStart;
    }

    /** Starts the server and makes the shop. */
    public static ShopDatabase start() {
        PostgresServer server;
        try {
            server = PostgresServer.version(POSTGRES_VERSION)
                    // Holds the log of the first transactions until the comparison has asked for their order.
                    .setting("wal_keep_size", "1GB")
                    .closedByCaller()
                    .start();
        } catch (IllegalStateException | UncheckedIOException e) {
            throw new TidegateException(
                    ErrorCode.SOURCE_UNAVAILABLE,
                    "PostgreSQL " + POSTGRES_VERSION + " did not start: " + e.getMessage(),
                    "It needs a user that the system has a name for, some space in the temporary folder, and Linux.",
                    e);
        }
        try {
            server.execute(
                    "create role " + ROLE + " login replication", "create database " + DATABASE + " owner " + ROLE);
            server.executeIn(DATABASE, "create extension pg_walinspect");
            try (Connection connection = connect(server);
                    Statement statement = connection.createStatement()) {
                statement.execute(script());
            }
            return new ShopDatabase(server, lsn(server.query("select pg_current_wal_flush_lsn()")));
        } catch (SQLException e) {
            server.close();
            throw unavailable("the shop could not be made: " + e.getMessage(), e);
        } catch (RuntimeException e) {
            server.close();
            throw e;
        }
    }

    /** A connection of the role that owns the shop. */
    Connection connect() throws SQLException {
        return connect(server);
    }

    /** Where the pipeline, or psql, finds the database. */
    public String url() {
        return "postgresql://" + ROLE + "@127.0.0.1:" + server.port() + "/" + DATABASE;
    }

    /** A folder that goes with the server. */
    public Path folder() {
        return server.folder();
    }

    /** The end of the server's log: each commit that has returned lies before it. */
    public long logEnd() {
        return lsn(query("select pg_current_wal_flush_lsn()"));
    }

    /** Whether somebody reads the log through this slot: a pipeline does after its snapshot. */
    public boolean readsLog(String slot) {
        return !query("select from pg_replication_slots join pg_stat_replication on pid = active_pid"
                        + " where state in ('catchup', 'streaming') and slot_name = '" + slot + "'")
                .isEmpty();
    }

    /**
     * Whether a pipeline has delivered its snapshot and all of the log up to this place: it acknowledges nothing else. A
     * new slot begins where the log ends, so one that nobody reads says nothing; the log is read after the snapshot.
     */
    public boolean delivered(String slot, long lsn) {
        List<String> confirmed = query("select confirmed_flush_lsn from pg_replication_slots"
                + " join pg_stat_replication on pid = active_pid where state = 'streaming' and slot_name = '" + slot
                + "'");
        return !confirmed.isEmpty() && Long.compareUnsigned(lsn(confirmed), lsn) >= 0;
    }

    /** The rows of each table. */
    public Map<String, Long> rowCounts() {
        Map<String, Long> counts = new LinkedHashMap<>();
        for (String table : TABLES) {
            counts.put(
                    table,
                    Long.parseLong(query("select count(*) from shop." + table).get(0)));
        }
        return counts;
    }

    /** The order of the commits from the load's first one to {@code end}, as the server's log has it. */
    public CommitOrder commitOrder(long end) {
        Map<Long, Long> commits = new HashMap<>();
        if (Long.compareUnsigned(end, logStart) <= 0) {
            return new CommitOrder(commits);
        }
        for (String row : query("select xid, start_lsn from pg_get_wal_records_info('" + text(logStart) + "', '"
                + text(end) + "') where resource_manager = 'Transaction' and record_type like 'COMMIT%'")) {
            int bar = row.indexOf('|');
            commits.put(Long.parseLong(row.substring(0, bar)), CommitOrder.parseLsn(row.substring(bar + 1)));
        }
        return new CommitOrder(commits);
    }

    /** Gives each change of the ledger, in no special order between transactions. */
    public void readLedger(Consumer<CommittedChange> reader) {
        try (Connection connection = connect()) {
            connection.setAutoCommit(false);
            try (PreparedStatement statement = connection.prepareStatement("""
                    select tx::text::bigint & 4294967295, row_number() over (partition by tx order by seq), op, table_name, row_key
                    from ledger.changes""")) {
                statement.setFetchSize(10_000);
                try (ResultSet rows = statement.executeQuery()) {
                    while (rows.next()) {
                        reader.accept(new CommittedChange(
                                new ChangeId(rows.getLong(1), rows.getInt(2)),
                                rows.getString(3),
                                rows.getString(4),
                                rows.getString(5)));
                    }
                }
            }
        } catch (SQLException e) {
            throw unavailable("the ledger cannot be read: " + e.getMessage(), e);
        }
    }

    @Override
    public void close() {
        server.close();
    }

    private List<String> query(String sql) {
        try {
            return server.queryIn(DATABASE, sql);
        } catch (SQLException e) {
            throw unavailable("the demo's database does not answer: " + e.getMessage(), e);
        }
    }

    private static Connection connect(PostgresServer server) throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("user", ROLE);
        properties.setProperty("ApplicationName", "shop");
        return server.connect(DATABASE, properties);
    }

    private static long lsn(List<String> rows) {
        return CommitOrder.parseLsn(rows.get(0));
    }

    private static String text(long lsn) {
        return Long.toHexString(lsn >>> 32) + "/" + Long.toHexString(lsn & 0xffff_ffffL);
    }

    private static String script() {
        try (InputStream script = Objects.requireNonNull(ShopDatabase.class.getResourceAsStream("shop.sql"))) {
            return new String(script.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read the shop's statements", e);
        }
    }

    static TidegateException unavailable(String message, Exception cause) {
        return new TidegateException(
                ErrorCode.SOURCE_UNAVAILABLE, message, "The demo makes its database anew: start it again.", cause);
    }
}
