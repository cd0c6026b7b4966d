package io.tidegate.chaos;

import io.tidegate.testkit.await.Await;
import io.tidegate.testkit.postgres.PostgresServer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * An application that writes: some threads with short transactions of several tables, and one whose transactions begin
 * before and commit after many of those. What a thread does follows from the seed; how the threads meet does not.
 *
 * <p>It lives through a server that goes down: what became of a transaction the {@link Ledger} says, never the load.
 */
final class Load implements AutoCloseable {

    private static final int THREADS = 3;
    private static final int TURNS_KEPT = 50;
    private static final int SHORT_DURING_LONG = 40;
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private enum Mode {
        RUNNING,
        PAUSED,
        CLOSED
    }

    private final PostgresServer server;
    private final String database;
    private final Semaphore turns = new Semaphore(0);
    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
    private final ScheduledFuture<?> ticking;
    private final List<Thread> threads = new ArrayList<>();
    private final AtomicLong committed = new AtomicLong();
    private final AtomicLong undone = new AtomicLong();
    private final AtomicReference<Optional<Throwable>> failure = new AtomicReference<>(Optional.empty());

    /** Transactions under way. */
    private final AtomicInteger underWay = new AtomicInteger();

    private volatile Mode mode = Mode.PAUSED;
    private volatile boolean truncating;

    /**
     * A load that waits for {@link #resume}.
     *
     * @param perSecond short transactions, at most
     */
    Load(PostgresServer server, String database, long seed, int perSecond) {
        this.server = server;
        this.database = database;
        SplittableRandom seeds = new SplittableRandom(seed);
        for (int i = 0; i < THREADS; i++) {
            int number = i;
            SplittableRandom random = seeds.split();
            start("load-" + i, () -> shortTransactions(number, random));
        }
        SplittableRandom random = seeds.split();
        start("load-long", () -> longTransactions(random));
        ticking = clock.scheduleAtFixedRate(
                () -> {
                    if (mode == Mode.RUNNING && turns.availablePermits() < TURNS_KEPT) {
                        turns.release();
                    }
                },
                0,
                TimeUnit.SECONDS.toMicros(1) / perSecond,
                TimeUnit.MICROSECONDS);
    }

    /**
     * Makes the tables. {@code bulk} is large and never written: it makes a snapshot last.
     *
     * @param bulkRows of about 1 KB
     */
    static void createTables(PostgresServer server, String database, int bulkRows) throws SQLException {
        server.executeIn(
                database,
                "CREATE TABLE ledger (id bigserial PRIMARY KEY, tab text NOT NULL, op text NOT NULL, n int NOT NULL,"
                        + " token bigint NOT NULL)",
                "CREATE TABLE account (id bigint PRIMARY KEY, token bigint NOT NULL, amount numeric, note text)",
                "CREATE TABLE doc (id bigint PRIMARY KEY, token bigint NOT NULL, body text, meta jsonb)",
                "ALTER TABLE doc ALTER body SET STORAGE EXTERNAL",
                "CREATE TABLE pair (a int, b text, token bigint NOT NULL, body text, PRIMARY KEY (a, b))",
                "ALTER TABLE pair REPLICA IDENTITY FULL",
                "ALTER TABLE pair ALTER body SET STORAGE EXTERNAL",
                "CREATE TABLE scratch (id bigint PRIMARY KEY, token bigint NOT NULL)",
                "CREATE TABLE bulk (id bigint PRIMARY KEY, token bigint NOT NULL, filler text NOT NULL)",
                "ALTER TABLE bulk ALTER filler SET STORAGE PLAIN",
                "INSERT INTO bulk SELECT i, 0, repeat(md5(i::text), 30) FROM generate_series(1, " + bulkRows + ") i",
                "INSERT INTO account SELECT i, 0, i / 7.0, 'born' FROM generate_series(1, 500) i",
                "INSERT INTO doc SELECT i, 0, repeat(md5(i::text), 100), '{\"v\": 1.50}' FROM generate_series(1, 100) i");
    }

    /** The entries of the book that are committed. */
    static Set<Long> entries(PostgresServer server, String database) throws SQLException {
        Set<Long> ids = new HashSet<>();
        server.queryIn(database, "SELECT id FROM ledger").forEach(id -> ids.add(Long.parseLong(id)));
        return ids;
    }

    void resume() {
        mode = Mode.RUNNING;
    }

    /** From now on a table is truncated now and then: each time, a snapshot that has not read it yet starts again. */
    void alsoTruncate() {
        truncating = true;
    }

    /** Commits a truncate. */
    void truncate() throws SQLException {
        try (Connection connection = connect()) {
            new Writer(connection).truncateScratch();
            connection.commit();
        }
    }

    /** Lets no further transaction begin, and returns when all that had begun have ended. */
    void pause() {
        mode = Mode.PAUSED;
        turns.drainPermits();
        Await.until("the load to pause", LIMIT, () -> underWay.get() == 0, this::progress);
        checkFailure();
    }

    /** Returns when so many more transactions were committed. */
    void awaitCommits(int more) {
        long goal = committed.get() + more;
        Await.until(more + " commits more", LIMIT, () -> committed.get() >= goal || failed(), this::progress);
        checkFailure();
    }

    /** Commits one transaction that changes so many rows, paused or not; gives the token of its last entry. */
    long largeTransaction(int rows) throws SQLException {
        try (Connection connection = connect()) {
            Writer writer = new Writer(connection);
            long base = 10_000_000 + committed.get() * 1_000_000;
            writer.write(
                    "account",
                    "c",
                    "INSERT INTO account SELECT " + base + " + i, ?, i, 'large' FROM generate_series(1, " + rows
                            + ") i");
            writer.write("account", "u", "UPDATE account SET token = ?, note = 'moved', id = -id WHERE id > " + base);
            writer.write("account", "d", "DELETE FROM account WHERE id < -" + (base + rows / 10));
            long token = writer.enter("mark", "m", 0);
            connection.commit();
            committed.incrementAndGet();
            return token;
        }
    }

    /** Commits an entry of its own, of no change; gives its token, which no other entry has. */
    long mark() throws SQLException {
        try (Connection connection = connect()) {
            long token = new Writer(connection).enter("mark", "m", 0);
            connection.commit();
            return token;
        }
    }

    private void start(String name, Runnable work) {
        Thread thread = new Thread(
                () -> {
                    try {
                        work.run();
                    } catch (RuntimeException | Error e) {
                        failure.compareAndSet(Optional.empty(), Optional.of(e));
                    }
                },
                name);
        thread.setDaemon(true);
        threads.add(thread);
        thread.start();
    }

    /** One transaction, as it is written. */
    private interface Body {
        void write(Writer writer) throws SQLException;
    }

    private void shortTransactions(int number, SplittableRandom random) {
        Connected connected = new Connected();
        while (mode != Mode.CLOSED) {
            if (turn()) {
                connected.run(writer -> shortTransaction(writer, number, random));
            }
        }
        connected.close();
    }

    private void longTransactions(SplittableRandom random) {
        Connected connected = new Connected();
        while (mode != Mode.CLOSED) {
            if (turn()) {
                connected.run(writer -> {
                    // Keys of its own: nobody waits for it, and it for nobody.
                    changeAccounts(writer, 900_000, random);
                    long goal = committed.get() + SHORT_DURING_LONG;
                    Await.until(
                            "others to commit",
                            LIMIT,
                            () -> committed.get() >= goal || mode != Mode.RUNNING || failed());
                    changeAccounts(writer, 900_000, random);
                });
            }
        }
        connected.close();
    }

    private boolean turn() {
        try {
            return turns.tryAcquire(100, TimeUnit.MILLISECONDS) && mode == Mode.RUNNING;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            mode = Mode.CLOSED;
            return false;
        }
    }

    private void shortTransaction(Writer writer, int number, SplittableRandom random) throws SQLException {
        int statements = 1 + random.nextInt(5);
        for (int i = 0; i < statements; i++) {
            switch (random.nextInt(12)) {
                case 0, 1, 2, 3 -> changeAccounts(writer, 1_000 * (number + 1), random);
                case 4, 5, 6 -> changeDocs(writer, random);
                case 7, 8 -> changePairs(writer, random);
                case 9 ->
                    writer.write(
                            "scratch",
                            "c",
                            "INSERT INTO scratch SELECT nextval('ledger_id_seq'), ? FROM generate_series(1, 5)");
                case 10 -> {
                    if (random.nextInt(20) == 0 && truncating) {
                        writer.truncateScratch();
                    }
                }
                default -> writer.undone(random.nextInt(1_000));
            }
        }
    }

    /** Rows of a range of keys: inserts, updates of many, moves to other keys, deletes. */
    private static void changeAccounts(Writer writer, int base, SplittableRandom random) throws SQLException {
        int key = base + random.nextInt(200);
        switch (random.nextInt(4)) {
            case 0 ->
                writer.write(
                        "account",
                        "c",
                        "INSERT INTO account SELECT i, ?, random(), 'new' FROM generate_series(" + key + ", "
                                + (key + 9) + ") i WHERE NOT EXISTS (SELECT FROM account WHERE id = i)");
            case 1 ->
                writer.write(
                        "account",
                        "u",
                        "UPDATE account SET token = ?, amount = amount + 1 WHERE id BETWEEN " + key + " AND "
                                + (key + 20));
            case 2 ->
                writer.write(
                        "account",
                        "u",
                        "UPDATE account SET token = ?, id = id + 500 WHERE id BETWEEN " + key + " AND " + (key + 3)
                                + " AND NOT EXISTS (SELECT FROM account x WHERE x.id BETWEEN " + (key + 500) + " AND "
                                + (key + 503) + ")");
            default ->
                writer.write(
                        "account",
                        "d",
                        "DELETE FROM account WHERE id BETWEEN " + key + " AND " + (key + 5) + " OR id BETWEEN "
                                + (key + 500) + " AND " + (key + 505));
        }
    }

    /** Large values that stay where they are, also when their row moves to another key. */
    private static void changeDocs(Writer writer, SplittableRandom random) throws SQLException {
        int key = 1 + random.nextInt(100);
        switch (random.nextInt(5)) {
            case 0, 1, 2 ->
                writer.write(
                        "doc",
                        "u",
                        "UPDATE doc SET token = ?, meta = jsonb_build_object('n', random()::numeric) WHERE id = "
                                + key);
            case 3 ->
                writer.write(
                        "doc",
                        "u",
                        "UPDATE doc SET token = ?, body = repeat(md5(random()::text), 90 + " + random.nextInt(20)
                                + ") WHERE id = " + key);
            default -> {
                int to = random.nextInt(100) + 1;
                writer.write(
                        "doc",
                        "u",
                        "UPDATE doc SET token = ?, id = -" + to + " WHERE id = " + key
                                + " AND NOT EXISTS (SELECT FROM doc WHERE id = -" + to + ")");
                writer.write("doc", "u", "UPDATE doc SET token = ?, id = " + key + " WHERE id = -" + to);
            }
        }
    }

    /** One key deleted and inserted again, in one transaction and over several. */
    private static void changePairs(Writer writer, SplittableRandom random) throws SQLException {
        String a = Integer.toString(random.nextInt(5));
        String key = "a = " + a + " AND b = 'ä\"\\ß'";
        switch (random.nextInt(3)) {
            case 0 -> {
                writer.write("pair", "d", "DELETE FROM pair WHERE " + key);
                writer.write(
                        "pair",
                        "c",
                        "INSERT INTO pair SELECT " + a + ", 'ä\"\\ß', ?, repeat(md5(random()::text), 100)"
                                + " WHERE NOT EXISTS (SELECT FROM pair WHERE " + key + ")");
            }
            case 1 -> writer.write("pair", "u", "UPDATE pair SET token = ? WHERE " + key);
            default -> writer.write("pair", "d", "DELETE FROM pair WHERE " + key);
        }
    }

    /** A connection that is made again when it is lost. */
    private final class Connected {
        private Optional<Connection> current = Optional.empty();

        void run(Body body) {
            underWay.incrementAndGet();
            try {
                if (mode != Mode.RUNNING) {
                    return; // paused since the turn was taken, and who paused it may have looked already
                }
                if (current.isEmpty()) {
                    current = Optional.of(Await.value("a connection of the load", LIMIT, this::open));
                }
                Connection connection = current.get();
                try {
                    body.write(new Writer(connection));
                    connection.commit();
                    committed.incrementAndGet();
                } catch (SQLException e) {
                    undo(connection, e);
                }
            } finally {
                underWay.decrementAndGet();
            }
        }

        private Optional<Connection> open() {
            try {
                return Optional.of(connect());
            } catch (SQLException e) {
                if (mode == Mode.CLOSED || !expected(e)) {
                    throw new IllegalStateException("the load cannot connect", e);
                }
                return Optional.empty();
            }
        }

        private void undo(Connection connection, SQLException cause) {
            if (!expected(cause)) {
                throw new IllegalStateException("the load failed", cause);
            }
            undone.incrementAndGet();
            try {
                connection.rollback();
            } catch (SQLException lost) {
                cause.addSuppressed(lost);
                close();
            }
        }

        void close() {
            current.ifPresent(connection -> {
                try {
                    connection.close();
                } catch (SQLException e) {
                    throw new IllegalStateException("a connection of the load does not close", e);
                }
            });
            current = Optional.empty();
        }
    }

    /** A deadlock, a key that is taken, a server that goes down: part of what is tested. */
    private static boolean expected(SQLException e) {
        String state = String.valueOf(e.getSQLState());
        return state.startsWith("40") || state.startsWith("08") || state.startsWith("57") || state.equals("23505");
    }

    /** Writes rows and their entries in the book, in the transaction of a connection. */
    private static final class Writer {
        private final Connection connection;

        Writer(Connection connection) {
            this.connection = connection;
        }

        /** The parameter of {@code sql} is the token; a delete has none. */
        void write(String table, String op, String sql) throws SQLException {
            long token = nextToken();
            int rows;
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                if (!op.equals("d")) {
                    statement.setLong(1, token);
                }
                rows = statement.executeUpdate();
            }
            if (rows > 0) {
                enter(table, op, rows, token);
            }
        }

        void truncateScratch() throws SQLException {
            try (Statement statement = connection.createStatement()) {
                statement.execute("TRUNCATE scratch");
            }
            enter("scratch", "t", 1);
        }

        /** Writes rows that are rolled back, with their entry. */
        void undone(int key) throws SQLException {
            try (Statement statement = connection.createStatement()) {
                statement.execute("SAVEPOINT before_it");
            }
            write("account", "u", "UPDATE account SET token = ?, note = 'never' WHERE id = " + key);
            try (Statement statement = connection.createStatement()) {
                statement.execute("ROLLBACK TO before_it");
            }
        }

        long enter(String table, String op, int rows) throws SQLException {
            long token = nextToken();
            enter(table, op, rows, token);
            return token;
        }

        private void enter(String table, String op, int rows, long token) throws SQLException {
            try (PreparedStatement statement =
                    connection.prepareStatement("INSERT INTO ledger (tab, op, n, token) VALUES (?, ?, ?, ?)")) {
                statement.setString(1, table);
                statement.setString(2, op);
                statement.setInt(3, rows);
                statement.setLong(4, token);
                statement.executeUpdate();
            }
        }

        private static long nextToken() {
            return TOKENS.incrementAndGet();
        }
    }

    private static final AtomicLong TOKENS = new AtomicLong(1_000_000_000L);

    private Connection connect() throws SQLException {
        Connection connection = server.connect(database);
        connection.setAutoCommit(false);
        return connection;
    }

    private boolean failed() {
        return failure.get().isPresent();
    }

    private void checkFailure() {
        failure.get().ifPresent(e -> {
            throw new IllegalStateException("the load has failed", e);
        });
    }

    private String progress() {
        return committed + " committed, " + undone + " undone"
                + failure.get().map(e -> ", failed: " + e).orElse("");
    }

    @Override
    public void close() {
        mode = Mode.CLOSED;
        ticking.cancel(false);
        clock.shutdownNow();
        for (Thread thread : threads) {
            Await.until(thread.getName() + " to end", LIMIT, () -> !thread.isAlive());
        }
        checkFailure();
    }
}
