package io.tidegate.bench.workload;

import io.tidegate.bench.contender.LiveTidegate;
import io.tidegate.bench.process.ChildJvm;
import io.tidegate.bench.report.Report;
import io.tidegate.bench.report.Table;
import io.tidegate.bench.server.BenchServer;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What needs memory if a reader is not careful, with a small heap and with a large one: a transaction that does not fit, values
 * that fit just once, a sink that stops while the database goes on.
 */
public final class MemoryWorkload {

    private static final double BYTES_PER_MEGABYTE = 1e6;
    private static final double MICROS_PER_SECOND = 1e6;
    private static final int MEBIBYTE = 1 << 20;
    /** A kilobyte with the other columns. */
    private static final int NOTE_BYTES = 950;

    private static final int ROWS = 50;
    private static final int CONNECTIONS = 4;
    private static final Duration LIMIT = Duration.ofMinutes(15);

    /** What can be measured. */
    public enum Part {
        /** One transaction that is much larger than the heap. */
        TRANSACTION,
        /** Long values of text. */
        TEXT,
        /** Long values of bytes, which are twice as long on the wire. */
        BYTEA,
        /** A sink that stops. */
        STOP
    }

    /**
     * What is run.
     *
     * @param heaps the first one is the small one, which is compared with the last one
     * @param jvm options besides the heap's
     * @param transactionRows rows of a kilobyte, all in one transaction
     * @param values rows with one value each
     * @param valueMebibytes of each value's wire text
     * @param stopSeconds how long the sink stops
     * @param aroundSeconds how long the load goes on before the stop, and after it
     * @param megabytesPerSecond of the load during the stop
     */
    public record Options(
            Set<Part> parts,
            List<LiveContender> contenders,
            List<String> heaps,
            List<String> jvm,
            int transactionRows,
            int values,
            int valueMebibytes,
            int stopSeconds,
            int aroundSeconds,
            int megabytesPerSecond) {

        /** The full size. */
        public static Options defaults() {
            return new Options(
                    EnumSet.allOf(Part.class),
                    both(),
                    List.of("-Xmx256m", "-Xmx2g"),
                    List.of("-XX:+UseSerialGC"), // as the launcher has it
                    1_000_000,
                    8,
                    64,
                    60,
                    10,
                    20);
        }

        /** A few seconds, to see that it works. */
        public static Options quick() {
            return new Options(
                    EnumSet.allOf(Part.class), both(), List.of("-Xmx256m"), List.of(), 20_000, 2, 16, 2, 2, 5);
        }

        private static List<LiveContender> both() {
            return List.of(LiveContender.counting(), LiveContender.file());
        }
    }

    /** What was measured with one heap; seconds are those that are compared. */
    private record Measured(double residentMegabytes, double seconds, double megabytesPerSecond, boolean right) {}

    /** One measurement with one heap. */
    private interface Measurement {
        Measured with(String heap) throws IOException, SQLException, InterruptedException;
    }

    private final BenchServer server;
    private final Report report;
    private final Options options;
    private final Table table;
    private boolean wrong;

    private MemoryWorkload(BenchServer server, Report report, Options options) {
        this.server = server;
        this.report = report;
        this.options = options;
        List<String> columns = new ArrayList<>(List.of("workload"));
        for (String heap : options.heaps()) {
            columns.add("peak resident at " + heap + " (MB)");
            columns.add("seconds at " + heap);
            columns.add("MB/s at " + heap);
            columns.add("all there at " + heap);
        }
        columns.add("seconds, small heap to large");
        table = new Table("Memory", columns);
    }

    /** Runs all of them. */
    public static void run(BenchServer server, Report report, Options options)
            throws IOException, SQLException, InterruptedException {
        MemoryWorkload workload = new MemoryWorkload(server, report, options);
        for (Part part : options.parts()) {
            switch (part) {
                case TRANSACTION -> workload.transaction();
                case TEXT ->
                    workload.values("text", "repeat(md5(n::text), " + options.valueMebibytes() * MEBIBYTE / 32 + ")");
                case BYTEA ->
                    workload.values(
                            "bytea",
                            "convert_to(repeat(md5(n::text), " + options.valueMebibytes() * MEBIBYTE / 64
                                    + "), 'UTF8')");
                case STOP -> workload.stop();
            }
        }
        report.table(workload.table);
        if (workload.wrong) {
            throw new IllegalStateException("a contender did not deliver what it should");
        }
    }

    private void transaction() throws IOException, SQLException, InterruptedException {
        LiveRun.prepare(server);
        server.execute("INSERT INTO load (id, account, amount, note)"
                + " SELECT n, n % 10007, n % 1000000 / 100.0, left(repeat(md5(n::text), " + (NOTE_BYTES / 32 + 1)
                + "), "
                + NOTE_BYTES + ") FROM generate_series(1, " + options.transactionRows() + ") n");
        for (LiveContender contender : options.contenders()) {
            row(
                    "one transaction of " + options.transactionRows() + " rows of 1 KB, " + contender.name(),
                    heap -> read(contender, heap, options.transactionRows()));
        }
    }

    private void values(String type, String value) throws IOException, SQLException, InterruptedException {
        server.reset();
        server.execute("CREATE TABLE load (id bigint PRIMARY KEY, value " + type + " NOT NULL)");
        LiveRun.publish(server);
        for (int i = 1; i <= options.values(); i++) {
            server.execute("INSERT INTO load SELECT n, " + value + " FROM generate_series(" + i + ", " + i + ") n");
        }
        for (LiveContender contender : options.contenders()) {
            row(
                    options.values() + " values of " + options.valueMebibytes() + " MiB " + type + ", "
                            + contender.name(),
                    heap -> read(contender, heap, options.values()));
        }
    }

    /** Reads what is in the log already. */
    private Measured read(LiveContender contender, String heap, int rows) throws IOException, InterruptedException {
        try (LiveRun run = new LiveRun(server);
                ChildJvm child = run.start(contender, jvm(heap), Map.of("expected", Integer.toString(rows)))) {
            Map<String, Double> figures = child.await(LIMIT);
            double took = (LiveRun.figure(figures, "end") - LiveRun.figure(figures, "first")) / MICROS_PER_SECOND;
            return measured(figures, rows, took, LiveRun.figure(figures, "bytes"));
        }
    }

    /** The sink stops while the load goes on; the seconds are those from its going on until it has caught up. */
    private void stop() throws IOException, SQLException, InterruptedException {
        for (LiveContender contender : options.contenders()) {
            row(
                    "sink stopped for " + options.stopSeconds() + " s under " + options.megabytesPerSecond() + " MB/s, "
                            + contender.name(),
                    heap -> stopped(contender, heap));
        }
    }

    private Measured stopped(LiveContender contender, String heap)
            throws IOException, SQLException, InterruptedException {
        LiveRun.prepare(server);
        double perSecond = options.megabytesPerSecond() * 1_000.0 / ROWS;
        double seconds = options.stopSeconds() + 2 * options.aroundSeconds();
        Load.Plan plan = Load.Plan.lasting(seconds, perSecond, ROWS, NOTE_BYTES, CONNECTIONS);
        try (LiveRun run = new LiveRun(server);
                ChildJvm child = run.start(
                        contender,
                        jvm(heap),
                        Map.of(
                                "expected", Long.toString(plan.allRows()),
                                "stopAfterMillis", Integer.toString(options.aroundSeconds() * 1_000),
                                "stopMillis", Integer.toString(options.stopSeconds() * 1_000)))) {
            run.awaitReading(child, LIMIT);
            try (Load load = Load.start(server, plan)) {
                load.await();
            }
            Map<String, Double> figures = child.await(LIMIT);
            Long recovered = child.reached(LiveTidegate.RECOVERED);
            double until = recovered == null ? LiveRun.figure(figures, "end") : recovered;
            double took = (until - child.awaitReached(LiveTidegate.WENT_ON, Duration.ZERO)) / MICROS_PER_SECOND;
            return measured(figures, plan.allRows(), took, LiveRun.figure(figures, "recoveredBytes"));
        }
    }

    private static Measured measured(Map<String, Double> figures, long rows, double seconds, double bytes) {
        boolean right = LiveRun.figure(figures, "count") == rows
                && LiveRun.figure(figures, "distinct") == rows
                && LiveRun.figure(figures, "largest") == rows;
        return new Measured(
                LiveRun.figure(figures, "resident") / BYTES_PER_MEGABYTE,
                seconds,
                bytes / BYTES_PER_MEGABYTE / seconds,
                right);
    }

    private List<String> jvm(String heap) {
        List<String> all = new ArrayList<>(List.of(heap));
        all.addAll(options.jvm());
        return all;
    }

    private void row(String name, Measurement measurement) throws IOException, SQLException, InterruptedException {
        List<Object> cells = new ArrayList<>(List.of(name));
        List<Measured> all = new ArrayList<>();
        for (String heap : options.heaps()) {
            report.progress(name + ", " + heap);
            Measured measured = measurement.with(heap);
            all.add(measured);
            cells.add(measured.residentMegabytes());
            cells.add(measured.seconds());
            cells.add(measured.megabytesPerSecond());
            cells.add(measured.right() ? "yes" : "NO");
            wrong |= !measured.right();
        }
        cells.add(all.get(0).seconds() / all.get(all.size() - 1).seconds());
        table.row(cells.toArray());
    }
}
