package io.tidegate.demo.shop;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/** The load on the shop: transactions on several connections at once, so that they interleave in the log. */
public final class Load {

    private static final int CLERKS = 4;
    private static final long CATCH_UP_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Serialization failure and deadlock: the transaction was rolled back, and another one may succeed. */
    private static final Set<String> TRANSIENT = Set.of("40001", "40P01");

    private final ShopDatabase database;
    private final double nanosPerChange;
    private final Consumer<Exception> failed;
    private final CountDownLatch stopping = new CountDownLatch(1);
    private final AtomicLong due = new AtomicLong(System.nanoTime());
    private final AtomicLong committed = new AtomicLong();
    private final List<Thread> clerks;

    private Load(ShopDatabase database, int changesPerSecond, Consumer<Exception> failed) {
        this.database = database;
        this.nanosPerChange = 1e9 / changesPerSecond;
        this.failed = failed;
        SplittableRandom seeds = new SplittableRandom();
        this.clerks = IntStream.range(0, CLERKS)
                .mapToObj(n -> seeds.split())
                .map(random -> new Thread(() -> work(random), "demo-load"))
                .toList();
    }

    /** Starts the load; {@code failed} is told, on a thread of the load, if the database does not do its part. */
    public static Load start(ShopDatabase database, int changesPerSecond, Consumer<Exception> failed) {
        Load load = new Load(database, changesPerSecond, failed);
        load.clerks.forEach(Thread::start);
        return load;
    }

    /** Changes whose commit has returned. */
    public long committed() {
        return committed.get();
    }

    /** Returns when no transaction runs any more. */
    public void stop() {
        stopping.countDown();
        boolean interrupted = false;
        for (Thread clerk : clerks) {
            while (clerk.isAlive()) {
                try {
                    clerk.join();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void work(SplittableRandom random) {
        try (Connection connection = database.connect()) {
            ShopTransactions shop = new ShopTransactions(connection, random);
            boolean stopped = false;
            while (!stopped) {
                stopped = stopping.await(pause(step(connection, shop)), TimeUnit.NANOSECONDS);
            }
        } catch (SQLException e) {
            failed.accept(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            failed.accept(e);
        }
    }

    private int step(Connection connection, ShopTransactions shop) throws SQLException {
        try {
            int changes = shop.next();
            committed.addAndGet(changes);
            return changes;
        } catch (SQLException e) {
            if (!TRANSIENT.contains(e.getSQLState())) {
                throw e;
            }
            connection.rollback();
            return 0;
        }
    }

    /** How long to wait after so many changes. All clerks share one rate; at most a second of it is caught up. */
    private long pause(int changes) {
        long now = System.nanoTime();
        long cost = (long) (Math.max(1, changes) * nanosPerChange);
        long turn = due.updateAndGet(last -> Math.max(last, now - CATCH_UP_NANOS) + cost);
        return Math.max(0, turn - now);
    }
}
