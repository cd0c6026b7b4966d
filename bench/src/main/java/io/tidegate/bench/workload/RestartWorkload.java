package io.tidegate.bench.workload;

import io.tidegate.bench.contender.Delays;
import io.tidegate.bench.contender.LiveTidegate;
import io.tidegate.bench.process.ChildJvm;
import io.tidegate.bench.process.ChildReport;
import io.tidegate.bench.report.Figures;
import io.tidegate.bench.report.Report;
import io.tidegate.bench.report.Table;
import io.tidegate.bench.server.BenchServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * SIGKILL in the middle of a steady load, and a new process at once: how long until it delivers again, until it has caught up,
 * and how much of what was delivered before comes a second time. At Tidegate nothing may be missing; of others it is told.
 */
public final class RestartWorkload {

    private static final double MICROS_PER_SECOND = 1e6;
    private static final int NOTE_BYTES = 120;
    private static final int CONNECTIONS = 4;
    private static final Duration LOOK = Duration.ofMillis(500);
    /** If nothing more comes for so long, it does not come. */
    private static final Duration STILL = Duration.ofSeconds(15);

    private static final Pattern ID = Pattern.compile("\"id\":(\\d+)");

    /**
     * What is run.
     *
     * @param perSecond transactions
     * @param rows of each of them
     * @param secondsBetween a kill comes so long after the process has caught up
     * @param limit the longest that a process may take to catch up
     */
    public record Options(
            double perSecond,
            int rows,
            int kills,
            double secondsBetween,
            Duration limit,
            List<String> jvm,
            List<LiveContender> contenders) {

        /** The full size. */
        public static Options defaults(List<LiveContender> contenders) {
            return new Options(200, 10, 5, 5, Duration.ofMinutes(2), List.of("-Xmx1g"), contenders);
        }

        /** A few seconds, to see that it works. */
        public static Options quick(List<LiveContender> contenders) {
            return new Options(50, 10, 1, 0.5, Duration.ofMinutes(1), List.of("-Xmx256m"), contenders);
        }
    }

    /**
     * What is in the files.
     *
     * @param lines with those that came twice
     */
    private record Delivered(long lines, int distinct, int largest) {}

    private final BenchServer server;
    private final Options options;
    private long missing;
    private final Table table = new Table(
            "Restart after SIGKILL",
            List.of(
                    "contender",
                    "load (changes/s)",
                    "kills",
                    "first change after start, median (s)",
                    "spread",
                    "caught up after start, median (s)",
                    "spread ",
                    "duplicates for each kill",
                    "committed",
                    "missing"));

    private RestartWorkload(BenchServer server, Options options) {
        this.server = server;
        this.options = options;
    }

    /** Kills each contender as often as the options say. */
    public static void run(BenchServer server, Report report, Options options)
            throws IOException, SQLException, InterruptedException {
        RestartWorkload workload = new RestartWorkload(server, options);
        for (LiveContender contender : options.contenders()) {
            report.progress(contender.name() + ": " + options.kills() + " kills");
            workload.measure(contender);
        }
        report.table(workload.table);
        if (workload.missing > 0) {
            throw new IllegalStateException(workload.missing + " rows are missing at Tidegate's sink");
        }
    }

    private void measure(LiveContender contender) throws IOException, SQLException, InterruptedException {
        LiveRun.prepare(server);
        double longest = (options.kills() + 1) * (2 * options.limit().toSeconds() + options.secondsBetween());
        Load.Plan plan = Load.Plan.lasting(longest, options.perSecond(), options.rows(), NOTE_BYTES, CONNECTIONS);
        List<Double> first = new ArrayList<>();
        List<Double> caughtUp = new ArrayList<>();
        try (LiveRun run = new LiveRun(server);
                Load load = Load.start(server, plan)) {
            ChildJvm child = run.start(contender, options.jvm(), Map.of());
            try {
                child.awaitReached(Delays.CAUGHT_UP, options.limit());
                for (int i = 0; i < options.kills(); i++) {
                    Thread.sleep((long) (options.secondsBetween() * 1_000));
                    child.kill();
                    long began = ChildReport.now();
                    child = run.start(contender, options.jvm(), Map.of());
                    first.add((child.awaitReached(Delays.FIRST, options.limit()) - began) / MICROS_PER_SECOND);
                    caughtUp.add((child.awaitReached(Delays.CAUGHT_UP, options.limit()) - began) / MICROS_PER_SECOND);
                }
                load.end();
                load.await();
                awaitAll(run.lines());
            } finally {
                child.kill();
            }
            row(contender, first, caughtUp, delivered(run.lines()));
        }
    }

    /** Until nothing is missing in the files, or nothing more comes: then the table says so. */
    private void awaitAll(Path folder) throws IOException, InterruptedException {
        long committed = Long.parseLong(server.query("SELECT count(*) FROM load"));
        int before = 0;
        long grewAt = System.nanoTime();
        for (int now = delivered(folder).distinct();
                now < committed;
                now = delivered(folder).distinct()) {
            if (now > before) {
                before = now;
                grewAt = System.nanoTime();
            } else if (System.nanoTime() - grewAt > STILL.toNanos()) {
                return;
            }
            Thread.sleep(LOOK.toMillis());
        }
    }

    private void row(LiveContender contender, List<Double> first, List<Double> caughtUp, Delivered delivered) {
        long committed = Long.parseLong(server.query("SELECT count(*) FROM load"));
        table.row(
                contender.name(),
                options.perSecond() * options.rows(),
                options.kills(),
                Figures.median(first),
                Figures.spread(first),
                Figures.median(caughtUp),
                Figures.spread(caughtUp),
                (double) (delivered.lines() - delivered.distinct()) / options.kills(),
                committed,
                committed - delivered.distinct());
        if (contender.main() == LiveTidegate.class) {
            missing += committed - delivered.distinct();
        }
        if (delivered.largest() > committed) {
            throw new IllegalStateException("the files hold a row that was never committed: " + delivered.largest());
        }
    }

    /** A line that a kill cut off has no number, or belongs to a row that came again. */
    private static Delivered delivered(Path folder) throws IOException {
        BitSet ids = new BitSet();
        long lines = 0;
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file :
                    files.filter(path -> path.toString().contains(".jsonl")).toList()) {
                try (Stream<String> all = Files.lines(file)) {
                    lines += all.map(ID::matcher)
                            .filter(Matcher::find)
                            .peek(found -> ids.set(Integer.parseInt(found.group(1))))
                            .count();
                }
            }
        }
        return new Delivered(lines, ids.cardinality(), ids.length() - 1);
    }
}
