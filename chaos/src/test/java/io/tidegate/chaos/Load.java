package io.tidegate.chaos;

import io.tidegate.testkit.await.Await;
import io.tidegate.testkit.postgres.PostgresServer;
import java.sql.Connection;
import java.sql.SQLException;
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
    private final Work work;
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

    /** A load of {@link MixedWork} without truncates. */
    Load(PostgresServer server, String database, long seed, int perSecond) {
        this(server, database, new MixedWork(false), seed, perSecond);
    }

    /**
     * A load that waits for {@link #resume}.
     *
     * @param perSecond short transactions, at most
     */
    Load(PostgresServer server, String database, Work work, long seed, int perSecond) {
        this.server = server;
        this.database = database;
        this.work = work;
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

    /** The entries of the book that are committed. */
    static Set<Long> entries(PostgresServer server, String database) throws SQLException {
        Set<Long> ids = new HashSet<>();
        server.queryIn(database, "SELECT id FROM ledger").forEach(id -> ids.add(Long.parseLong(id)));
        return ids;
    }

    void resume() {
        mode = Mode.RUNNING;
    }

    /** Commits a truncate, paused or not. */
    void truncate() throws SQLException {
        commit(MixedWork::truncate);
    }

    /** Commits so many transactions of a hundred changes and their entry each, paused or not. */
    void commitHundreds(int transactions) throws SQLException {
        for (int i = 0; i < transactions; i++) {
            int from = 1 + 100 * (i % 4);
            commit(writer -> writer.write(
                    "account",
                    "u",
                    "UPDATE account SET token = ?, amount = amount + 1 WHERE id BETWEEN " + from + " AND "
                            + (from + 99)));
        }
    }

    /** Commits a transaction of the caller's, paused or not. */
    void commit(Body body) throws SQLException {
        try (Connection connection = connect()) {
            body.write(new LedgerWriter(connection));
            connection.commit();
            committed.incrementAndGet();
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
            long base = 10_000_000 + committed.get() * 1_000_000;
            long token = MixedWork.large(new LedgerWriter(connection), base, rows);
            connection.commit();
            committed.incrementAndGet();
            return token;
        }
    }

    /** Commits an entry of its own, of no change; gives its token, which no other entry has. */
    long mark() throws SQLException {
        try (Connection connection = connect()) {
            long token = new LedgerWriter(connection).enter("mark", "m", 0);
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
    interface Body {
        void write(LedgerWriter writer) throws SQLException;
    }

    private void shortTransactions(int number, SplittableRandom random) {
        Connected connected = new Connected();
        while (mode != Mode.CLOSED) {
            if (turn()) {
                connected.run(writer -> work.shortTransaction(writer, number, random));
            }
        }
        connected.close();
    }

    private void longTransactions(SplittableRandom random) {
        Connected connected = new Connected();
        while (mode != Mode.CLOSED) {
            if (turn()) {
                connected.run(writer -> {
                    work.longPart(writer, random);
                    long goal = committed.get() + SHORT_DURING_LONG;
                    Await.until(
                            "others to commit",
                            LIMIT,
                            () -> committed.get() >= goal || mode != Mode.RUNNING || failed());
                    work.longPart(writer, random);
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
                    body.write(new LedgerWriter(connection));
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
