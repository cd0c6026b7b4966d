package io.tidegate.bench.workload;

import io.tidegate.bench.process.ChildReport;
import io.tidegate.bench.report.Percentiles;
import io.tidegate.bench.server.BenchServer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Writes into a database at times that are fixed beforehand, whatever becomes of what it wrote (an open loop): each
 * transaction has its time, a connection that is free waits for it, and one that comes late is written at once and its
 * lateness kept. Rows are numbered from 1 on in the order of these times. Durable commits.
 */
final class Load implements AutoCloseable {

    private static final long NANOS_PER_MICRO = 1_000;
    private static final double NANOS_PER_SECOND = 1e9;
    private static final double MICROS_PER_SECOND = 1e6;
    /** Of a transaction that was not made, because the load was ended before its time. */
    private static final int NEVER = -1;

    /**
     * What is written, and when.
     *
     * @param transactionsPerSecond their times are as far from each other as this says
     * @param rows of each transaction
     * @param noteBytes of the text in each row
     * @param connections the most transactions that can be under way at once
     */
    record Plan(int transactions, double transactionsPerSecond, int rows, int noteBytes, int connections) {

        /** So many a second for so long. */
        static Plan lasting(double seconds, double perSecond, int rows, int noteBytes, int connections) {
            return new Plan((int) Math.ceil(seconds * perSecond), perSecond, rows, noteBytes, connections);
        }

        long allRows() {
            return (long) transactions * rows;
        }
    }

    /**
     * How it went between two times.
     *
     * @param perSecond transactions that were committed
     * @param lateP99 milliseconds that a transaction began after its time
     * @param commitP50 milliseconds that a transaction took, as its client saw it
     */
    record Went(
            double perSecond, double lateP99, double lateMax, double commitP50, double commitP99, double commitMax) {}

    private final Plan plan;
    private final long startNanos;
    private final long startMicros;
    private final AtomicInteger next = new AtomicInteger();
    private final int[] late;
    private final int[] took;
    private final List<Thread> threads = new ArrayList<>();
    private final AtomicReference<@Nullable SQLException> failure = new AtomicReference<>();
    private volatile boolean ended;

    private Load(Plan plan) {
        this.plan = plan;
        late = new int[plan.transactions()];
        took = new int[plan.transactions()];
        Arrays.fill(took, NEVER);
        startNanos = System.nanoTime();
        startMicros = ChildReport.now();
    }

    /** Makes the table that it writes into, empty, and nothing else. */
    static void table(BenchServer server) {
        server.execute(
                "CREATE TABLE load (id bigint PRIMARY KEY, account integer NOT NULL, amount numeric(12, 2) NOT NULL,"
                        + " made timestamptz NOT NULL DEFAULT now(), note text NOT NULL)");
    }

    /** Begins, and goes on by itself. */
    static Load start(BenchServer server, Plan plan) throws SQLException {
        List<Connection> connections = new ArrayList<>();
        for (int i = 0; i < plan.connections(); i++) {
            connections.add(server.connect());
        }
        Load load = new Load(plan);
        for (Connection connection : connections) {
            Thread thread = new Thread(() -> load.write(connection), "load");
            thread.setDaemon(true);
            load.threads.add(thread);
            thread.start();
        }
        return load;
    }

    private void write(Connection connection) {
        try (connection;
                PreparedStatement insert = connection.prepareStatement(
                        "INSERT INTO load (id, account, amount, note) VALUES (?, ?, ?::numeric / 100, ?)"
                                + ", (?, ?, ?::numeric / 100, ?)".repeat(plan.rows() - 1))) {
            while (!ended) {
                int one = next.getAndIncrement();
                if (one >= plan.transactions()) {
                    return;
                }
                fill(insert, one);
                long due = startNanos + (long) (one * NANOS_PER_SECOND / plan.transactionsPerSecond());
                long now = awaitTime(due);
                insert.executeUpdate();
                late[one] = (int) ((now - due) / NANOS_PER_MICRO);
                took[one] = (int) ((System.nanoTime() - now) / NANOS_PER_MICRO);
            }
        } catch (SQLException e) {
            failure.compareAndSet(null, e);
        }
    }

    private void fill(PreparedStatement insert, int one) throws SQLException {
        int parameter = 1;
        for (int i = 0; i < plan.rows(); i++) {
            long id = (long) one * plan.rows() + i + 1;
            insert.setLong(parameter++, id);
            insert.setInt(parameter++, (int) (id % 10_007));
            insert.setLong(parameter++, id * 31 % 1_000_000);
            insert.setString(parameter++, note(id));
        }
    }

    /** Another text for each row. */
    private String note(long id) {
        String word = Long.toHexString(id * 0x9E37_79B9_7F4A_7C15L) + " ";
        return word.repeat(plan.noteBytes() / word.length() + 1).substring(0, plan.noteBytes());
    }

    private static long awaitTime(long due) {
        long now = System.nanoTime();
        while (now < due) {
            LockSupport.parkNanos(due - now);
            now = System.nanoTime();
        }
        return now;
    }

    /** Rows that were written, or are being written. */
    long begun() {
        return (long) Math.min(next.get(), plan.transactions()) * plan.rows();
    }

    /** When it began, in the microseconds of {@link ChildReport#now}. */
    long startMicros() {
        return startMicros;
    }

    /** Begins no more transactions. */
    void end() {
        ended = true;
    }

    /** Waits for the end of all transactions. */
    void await() throws InterruptedException, SQLException {
        for (Thread thread : threads) {
            thread.join();
        }
        SQLException failed = failure.get();
        if (failed != null) {
            throw failed;
        }
    }

    /** What was due between these {@link ChildReport#now}; after {@link #await}. */
    Went went(long fromMicros, long untilMicros) {
        int first = (int) Math.max(0, due(fromMicros));
        int last = (int) Math.min(plan.transactions(), due(untilMicros));
        int[] lateness = new int[last - first];
        int[] durations = new int[last - first];
        System.arraycopy(late, first, lateness, 0, last - first);
        System.arraycopy(took, first, durations, 0, last - first);
        int committed = 0;
        for (int i = 0; i < plan.transactions(); i++) {
            double at = startMicros + i * MICROS_PER_SECOND / plan.transactionsPerSecond() + late[i] + took[i];
            committed += took[i] != NEVER && at >= fromMicros && at < untilMicros ? 1 : 0;
        }
        Percentiles behind = new Percentiles(lateness, last - first);
        Percentiles commits = new Percentiles(durations, last - first);
        return new Went(
                committed * MICROS_PER_SECOND / (untilMicros - fromMicros),
                behind.millis(0.99),
                behind.maxMillis(),
                commits.millis(0.5),
                commits.millis(0.99),
                commits.maxMillis());
    }

    private double due(long micros) {
        return Math.ceil((micros - startMicros) / MICROS_PER_SECOND * plan.transactionsPerSecond());
    }

    @Override
    public void close() throws InterruptedException {
        end();
        for (Thread thread : threads) {
            thread.join();
        }
    }
}
