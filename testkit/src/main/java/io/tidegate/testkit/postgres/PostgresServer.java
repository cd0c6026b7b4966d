package io.tidegate.testkit.postgres;

import io.tidegate.testkit.await.Await;
import io.tidegate.testkit.net.LoopbackPort;
import io.tidegate.testkit.tls.TestAuthority;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A real PostgreSQL server on the loopback address, as a child process.
 *
 * <p>What holds:
 *
 * <ol>
 *   <li>P1 A commit is durable. {@code fsync}, {@code synchronous_commit} and {@code full_page_writes} are on, and the
 *       started server is asked for them; only a test that names one of them as a setting gets something else.
 *   <li>P2 It keeps its port and its data over {@link #stopFast}, {@link #stopImmediate}, {@link #kill} and {@link #start}.
 *   <li>P3 When a stop or {@link #kill} has returned, no process of it is left: port and shared memory are free.
 *   <li>P4 Nothing stays behind, neither process nor temporary folder: not after {@link #close}, not when the JVM ends, and
 *       not when the JVM is killed.
 * </ol>
 *
 * <p>Each server is a new cluster made by {@code initdb}, never a copy, so that no two have the same system identifier.
 */
public final class PostgresServer implements AutoCloseable {
    /** The superuser. It may always log in from the loopback address without a password, whatever other rules say. */
    public static final String SUPERUSER = "postgres";

    private static final List<String> DURABILITY = List.of("fsync", "synchronous_commit", "full_page_writes");
    private static final Duration START_LIMIT = Duration.ofMinutes(2);
    private static final Duration STOP_LIMIT = Duration.ofSeconds(20);
    private static final int PORTS_TRIED = 5;

    private enum State {
        STOPPED,
        RUNNING,
        STOPPING,
        CLOSED
    }

    private final int version;
    private final Map<String, String> settings;
    private final Cluster cluster;
    private final ServerGuard guard;
    private final Thread shutdownHook;
    private boolean portMayChange;
    private volatile int port;
    private State state = State.STOPPED;
    private volatile @Nullable Process postmaster;

    private PostgresServer(Builder builder) throws IOException {
        version = builder.version;
        settings = builder.effectiveSettings();
        portMayChange = builder.port.isEmpty();
        port = builder.port.orElseGet(LoopbackPort::free);

        RunAs runAs = builder.runAs.orElseGet(RunAs::here);
        Path programs = PostgresBinaries.of(version, runAs).resolve("bin");
        Optional<Path> kept = builder.folder;
        Path folder = kept.isPresent()
                ? Files.createDirectories(kept.get())
                : Files.createTempDirectory("tidegate-postgres-" + version + "-");
        cluster = new Cluster(version, programs, folder.toRealPath(), runAs);
        guard = ServerGuard.over(cluster.data(), kept.isPresent() ? List.of() : List.of(cluster.folder()), runAs);
        shutdownHook = new Thread(() -> guard.release(STOP_LIMIT), "postgres-shutdown");
        if (builder.closedAtShutdown) {
            Runtime.getRuntime().addShutdownHook(shutdownHook);
        }
        try {
            cluster.prepare(builder.hba, builder.authority, START_LIMIT);
        } catch (IOException | RuntimeException e) {
            close();
            throw e;
        }
    }

    /** A server of this major version (14, 17, …) that is yet to be described. */
    public static Builder version(int major) {
        return new Builder(major);
    }

    /** What a server is to be like. Each setting has a default that suits a test of logical replication. */
    public static final class Builder {
        private final int version;
        private final Map<String, String> settings = new LinkedHashMap<>();
        private List<String> hba =
                List.of("host all all 127.0.0.1/32 trust", "host replication all 127.0.0.1/32 trust");
        private Optional<TestAuthority> authority = Optional.empty();
        private Optional<Path> folder = Optional.empty();
        private Optional<Integer> port = Optional.empty();
        private Optional<RunAs> runAs = Optional.empty();
        private boolean closedAtShutdown = true;

        private Builder(int version) {
            this.version = version;
        }

        /** A line of {@code postgresql.conf}; what {@code ALTER SYSTEM} sets later goes before it. */
        public Builder setting(String name, String value) {
            settings.put(name.toLowerCase(Locale.ROOT), value);
            return this;
        }

        public Builder settings(Map<String, String> more) {
            more.forEach(this::setting);
            return this;
        }

        /** The lines of {@code pg_hba.conf}, in place of "trust everybody". {@link #SUPERUSER} is let in by a line before. */
        public Builder hba(String... lines) {
            hba = List.of(lines);
            return this;
        }

        /** Switches TLS on, with a certificate of this authority for {@code localhost} and {@code 127.0.0.1}. */
        public Builder ssl(TestAuthority by) {
            authority = Optional.of(by);
            return this;
        }

        /** Keeps data and log in this folder, also after {@link #close}; a cluster that is there already is used. */
        public Builder folder(Path kept) {
            folder = Optional.of(kept);
            return this;
        }

        /** The port to listen on, in place of a free one. */
        public Builder port(int fixed) {
            port = Optional.of(fixed);
            return this;
        }

        /** Keeps the server up while the JVM shuts down: the caller closes it. If it does not, the end of the JVM does. */
        public Builder closedByCaller() {
            closedAtShutdown = false;
            return this;
        }

        Builder runAs(RunAs user) {
            runAs = Optional.of(user);
            return this;
        }

        /** A server that has its folder and its port, but does not run yet. */
        public PostgresServer build() {
            try {
                return new PostgresServer(this);
            } catch (IOException e) {
                throw new UncheckedIOException("cannot prepare a PostgreSQL " + version + " server", e);
            }
        }

        /** A server that runs. */
        public PostgresServer start() {
            PostgresServer server = build();
            try {
                server.start();
                return server;
            } catch (RuntimeException | Error e) {
                server.close();
                throw e;
            }
        }

        private Map<String, String> effectiveSettings() {
            Map<String, String> all = new LinkedHashMap<>();
            DURABILITY.forEach(name -> all.put(name, "on"));
            all.put("listen_addresses", "127.0.0.1");
            all.put("unix_socket_directories", "");
            all.put("wal_level", "logical");
            all.put("max_wal_senders", "20");
            all.put("max_replication_slots", "20");
            all.put("max_connections", "100");
            all.put("shared_buffers", "64MB");
            // In files of the data folder, not in /dev/shm, where a killed server would leave them.
            all.put("dynamic_shared_memory_type", "mmap");
            all.put("lc_messages", "C");
            all.put("timezone", "UTC");
            all.put("log_timezone", "UTC");
            if (authority.isPresent()) {
                all.put("ssl", "on");
            }
            all.putAll(settings);
            return all;
        }
    }

    /**
     * Starts the server, on the same data and port as before, and returns when it takes connections. Recovery after a kill
     * is part of it.
     *
     * @throws IllegalStateException with the end of the log, when it does not start
     */
    public synchronized void start() {
        noteEnd();
        require(State.STOPPED);
        for (int attempt = 1; ; attempt++) {
            try {
                startOn(port);
                break;
            } catch (StartFailed e) {
                if (!portMayChange || attempt == PORTS_TRIED || LoopbackPort.isFree(port)) {
                    throw e;
                }
                port = LoopbackPort.free();
            }
        }
        portMayChange = false;
        checkDurability();
    }

    /**
     * Asks for a fast shutdown (SIGINT): sessions are ended, what logical replication has not sent yet is sent. A receiver
     * that does not read keeps the server from ending.
     *
     * @return whether it ended within {@code limit}; if not, it is still at it
     */
    public synchronized boolean stopFast(Duration limit) {
        return stop("INT", limit);
    }

    /** Shuts down without a checkpoint (SIGQUIT): the next start recovers. */
    public synchronized void stopImmediate() {
        if (!stop("QUIT", STOP_LIMIT)) {
            kill();
        }
    }

    /** Kills the server (SIGKILL), as a crash of it would: first the postmaster, then what is left of its children. */
    public synchronized void kill() {
        noteEnd();
        Process running = postmaster;
        if (running == null) {
            return;
        }
        guard.signal("KILL", running.pid());
        await(running, STOP_LIMIT);
        noteEnd();
    }

    /** Whether the server's process is there; it may be on its way up or down. */
    public boolean isRunning() {
        Process running = postmaster;
        return running != null && running.isAlive();
    }

    public int version() {
        return version;
    }

    public int port() {
        return port;
    }

    /** The process id of the postmaster, while the server runs. */
    public synchronized long pid() {
        Process running = postmaster;
        if (running == null || !running.isAlive()) {
            throw new IllegalStateException("the server does not run");
        }
        return running.pid();
    }

    /** The folder of data and log. */
    public Path folder() {
        return cluster.folder();
    }

    /** The server's data folder, PGDATA. */
    public Path data() {
        return cluster.data();
    }

    /** All that the server has written to its log, over all starts. */
    public String log() {
        return cluster.log();
    }

    /** The JDBC address of a database, without a user. */
    public String jdbcUrl(String database) {
        return "jdbc:postgresql://127.0.0.1:" + port + "/" + database;
    }

    /** A new connection of the superuser to the database {@code postgres}. */
    public Connection connect() throws SQLException {
        return connect("postgres");
    }

    /** A new connection of the superuser to a database. */
    public Connection connect(String database) throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("user", SUPERUSER);
        return connect(database, properties);
    }

    /** A new connection to a database with properties of the JDBC driver, {@code user} among them. */
    public Connection connect(String database, Properties properties) throws SQLException {
        return DriverManager.getConnection(jdbcUrl(database), properties);
    }

    /** A new connection of the superuser that takes replication commands for a database. */
    public Connection connectForReplication(String database) throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("user", SUPERUSER);
        properties.setProperty("replication", "database");
        // Without these the driver first sends queries that a replication connection does not understand.
        properties.setProperty("assumeMinServerVersion", "9.4");
        properties.setProperty("preferQueryMode", "simple");
        return connect(database, properties);
    }

    /** Executes statements as superuser in the database {@code postgres}, each in a transaction of its own. */
    public void execute(String... sql) throws SQLException {
        executeIn("postgres", sql);
    }

    /** Executes statements as superuser in a database, each in a transaction of its own. */
    public void executeIn(String database, String... sql) throws SQLException {
        try (Connection connection = connect(database);
                Statement statement = connection.createStatement()) {
            for (String one : sql) {
                statement.execute(one);
            }
        }
    }

    /** The rows of a query in the database {@code postgres}, see {@link #queryIn}. */
    public List<String> query(String sql) throws SQLException {
        return queryIn("postgres", sql);
    }

    /** The rows of a query in a database, each as text: its columns with {@code |} between them, null as nothing. */
    public List<String> queryIn(String database, String sql) throws SQLException {
        try (Connection connection = connect(database)) {
            return rows(connection, sql);
        }
    }

    /** The rows of a query, as {@link #queryIn} gives them, by a connection that is there. */
    public static List<String> rows(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            List<String> lines = new ArrayList<>();
            int columns = rows.getMetaData().getColumnCount();
            while (rows.next()) {
                StringBuilder line = new StringBuilder();
                for (int column = 1; column <= columns; column++) {
                    String value = rows.getString(column);
                    line.append(column == 1 ? "" : "|").append(value == null ? "" : value);
                }
                lines.add(line.toString());
            }
            return lines;
        }
    }

    /** Kills the server and deletes its folder if that was a temporary one. Does nothing the second time. */
    @Override
    public synchronized void close() {
        if (state == State.CLOSED) {
            return;
        }
        state = State.CLOSED;
        try {
            Runtime.getRuntime().removeShutdownHook(shutdownHook);
        } catch (IllegalStateException shuttingDown) {
            // The hook runs already and does the same.
        }
        if (!guard.release(STOP_LIMIT)) {
            throw new IllegalStateException("a PostgreSQL server is not gone after " + STOP_LIMIT + ": " + folder());
        }
        postmaster = null;
    }

    private void startOn(int listenPort) {
        try {
            cluster.configure(listenPort, settings);
            Process started = cluster.startPostmaster();
            postmaster = started;
            state = State.RUNNING;
            boolean ready = Await.value("PostgreSQL " + version + " to take connections", START_LIMIT, () -> {
                if (cluster.isReady(started.pid())) {
                    return Optional.of(true);
                }
                return started.isAlive() ? Optional.empty() : Optional.of(false);
            });
            if (!ready) {
                noteEnd();
                throw new StartFailed("PostgreSQL " + version + " ended while starting", log());
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot start PostgreSQL " + version, e);
        }
    }

    /** P1 */
    private void checkDurability() {
        for (String name : DURABILITY) {
            String wanted = settings.getOrDefault(name, "on");
            try {
                String actual = String.join("", query("SHOW " + name));
                if (!actual.equals(wanted)) {
                    kill();
                    throw new IllegalStateException("P1: " + name + " is " + actual + ", not " + wanted);
                }
            } catch (SQLException e) {
                kill();
                throw new StartFailed("PostgreSQL " + version + " started, but cannot be asked: " + e, log());
            }
        }
    }

    private boolean stop(String signal, Duration limit) {
        noteEnd();
        Process running = postmaster;
        if (running == null) {
            return true;
        }
        state = State.STOPPING;
        guard.signal(signal, running.pid());
        boolean ended = await(running, limit);
        noteEnd();
        return ended;
    }

    /** Brings the state up to date when the postmaster has ended, asked or not. Ends what it left behind (P3). */
    private void noteEnd() {
        if (state == State.CLOSED) {
            throw new IllegalStateException("the server is closed");
        }
        Process running = postmaster;
        if (running != null && !running.isAlive()) {
            guard.killAll();
            postmaster = null;
            state = State.STOPPED;
        }
    }

    private void require(State expected) {
        if (state != expected) {
            throw new IllegalStateException("the server is " + state + ", not " + expected);
        }
    }

    static boolean await(Process process, Duration limit) {
        try {
            return process.waitFor(limit.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for a PostgreSQL process", e);
        }
    }
}
