package io.tidegate.bench.workload;

import io.tidegate.bench.contender.Delays;
import io.tidegate.bench.process.ChildJvm;
import io.tidegate.bench.process.ChildReport;
import io.tidegate.bench.process.Usage;
import io.tidegate.bench.report.Report;
import io.tidegate.bench.report.Table;
import io.tidegate.bench.server.BenchServer;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * How long a change takes from its commit to being durable at the sink, under transactions that come at fixed times whatever
 * the reader does. The commit's time is the one that PostgreSQL writes into its log, which it takes before it forces the
 * log: that force is inside the figure, and how long commits took for who made them stands beside it.
 */
public final class LatencyWorkload {

    /** The load goes on after the window, so that something comes by which a reader knows that it is over. */
    private static final double AFTER_SECONDS = 1;

    private static final long MICROS_PER_SECOND = 1_000_000;
    private static final Duration DRAIN_LIMIT = Duration.ofMinutes(2);
    /** With the other columns and the tuple's head a row of about 190 bytes. */
    private static final int NOTE_BYTES = 120;

    /**
     * What is run.
     *
     * @param warmUpSeconds before the window, the start of the process included
     * @param seconds the window
     */
    public record Options(
            List<Integer> ratesPerSecond,
            int warmUpSeconds,
            int seconds,
            int rounds,
            List<String> jvm,
            List<LiveContender> contenders) {

        /** The full size. */
        public static Options defaults(int rounds, List<LiveContender> contenders) {
            return new Options(List.of(100, 1_000, 5_000), 20, 20, rounds, List.of("-Xmx1g"), contenders);
        }

        /** A few seconds, to see that it works. */
        public static Options quick(List<LiveContender> contenders) {
            return new Options(List.of(200), 3, 2, 1, List.of("-Xmx256m"), contenders);
        }
    }

    private final BenchServer server;
    private final Options options;
    private final Table table = new Table(
            "Latency from commit to durable at the sink",
            List.of(
                    "rate (tx/s)",
                    "contender",
                    "p50 (ms)",
                    "p99 (ms)",
                    "p99.9 (ms)",
                    "max (ms)",
                    "samples",
                    "to the sink p50 (ms)",
                    "to the sink p99 (ms)",
                    "achieved (tx/s)",
                    "load late p99 (ms)",
                    "load late max (ms)",
                    "commit p50 (ms)",
                    "commit p99 (ms)",
                    "caught up before (s)",
                    "client CPU (s per million)",
                    "sender CPU (s per million)"));

    private LatencyWorkload(BenchServer server, Options options) {
        this.server = server;
        this.options = options;
    }

    /** Runs each contender at each rate, in turn. */
    public static void run(BenchServer server, Report report, Options options)
            throws IOException, SQLException, InterruptedException {
        LatencyWorkload workload = new LatencyWorkload(server, options);
        for (int rate : options.ratesPerSecond()) {
            for (int round = 0; round < options.rounds(); round++) {
                for (LiveContender contender : options.contenders()) {
                    report.progress(contender.name() + " at " + rate + " transactions a second");
                    workload.measure(rate, contender);
                }
            }
        }
        report.table(workload.table);
    }

    private void measure(int rate, LiveContender contender) throws IOException, SQLException, InterruptedException {
        LiveRun.prepare(server);
        double lasting = options.warmUpSeconds() + options.seconds() + AFTER_SECONDS;
        Load.Plan plan = Load.Plan.lasting(lasting, rate, 1, NOTE_BYTES, connections(rate));
        try (LiveRun run = new LiveRun(server);
                Load load = Load.start(server, plan)) {
            long from = load.startMicros() + options.warmUpSeconds() * MICROS_PER_SECOND;
            long until = from + options.seconds() * MICROS_PER_SECOND;
            try (ChildJvm child = run.start(
                    contender, options.jvm(), Map.of("from", Long.toString(from), "until", Long.toString(until)))) {
                sleepUntil(from);
                double clientBefore = Usage.of(child.pid()).cpuSeconds();
                double senderBefore = run.senderSeconds();
                sleepUntil(until);
                double client = Usage.of(child.pid()).cpuSeconds() - clientBefore;
                double sender = run.senderSeconds() - senderBefore;
                load.await();
                Map<String, Double> delays = child.await(DRAIN_LIMIT);
                Long caughtUp = child.reached(Delays.CAUGHT_UP);
                double before = caughtUp == null ? Double.NaN : (from - caughtUp) / (double) MICROS_PER_SECOND;
                Load.Went went = load.went(from, until);
                check(contender, LiveRun.figure(delays, "samples"), went.perSecond() * options.seconds());
                row(rate, contender, delays, went, before, client, sender);
            }
        }
    }

    /** Commit times near an end of the window are not the client's times, so a few may be on its other side. */
    private static void check(LiveContender contender, double samples, double committed) {
        if (Math.abs(samples - committed) > Math.max(20, committed / 100)) {
            throw new IllegalStateException(contender.name() + " delivered " + Math.round(samples) + " of "
                    + Math.round(committed) + " changes that were committed in the window");
        }
    }

    /** Enough for a commit that takes three milliseconds, and two more. */
    private static int connections(int rate) {
        return 2 + rate / 300;
    }

    private static void sleepUntil(long micros) throws InterruptedException {
        long left = micros - ChildReport.now();
        if (left > 0) {
            Thread.sleep(Duration.ofNanos(left * 1_000).toMillis());
        }
    }

    private void row(
            int rate,
            LiveContender contender,
            Map<String, Double> delays,
            Load.Went went,
            double caughtUpBefore,
            double client,
            double sender) {
        double millions = went.perSecond() * options.seconds() / 1_000_000;
        table.row(
                rate,
                contender.name(),
                LiveRun.figure(delays, "p50"),
                LiveRun.figure(delays, "p99"),
                LiveRun.figure(delays, "p999"),
                LiveRun.figure(delays, "max"),
                LiveRun.figure(delays, "samples"),
                delays.getOrDefault("handed_p50", Double.NaN),
                delays.getOrDefault("handed_p99", Double.NaN),
                went.perSecond(),
                went.lateP99(),
                went.lateMax(),
                went.commitP50(),
                went.commitP99(),
                caughtUpBefore,
                client / millions,
                sender / millions);
    }
}
