package io.tidegate.bench.workload;

import io.tidegate.bench.process.ChildReport;
import io.tidegate.bench.report.Figures;
import io.tidegate.bench.report.Report;
import io.tidegate.bench.report.Table;
import io.tidegate.bench.server.BenchServer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Contenders that do the same work in turn, A B C A B C, several times, so that what drifts on the machine hits all of them. Before
 * several rounds the first one runs once without being counted.
 * Each run is checked for its count and, where there is an order, its last value; one that is wrong ends the bench.
 */
final class Contest {

    /** Put by a contender that cannot count what it receives. */
    static final String UNCOUNTED = "uncounted";

    /** One who can be measured; a run gives the figures of {@link io.tidegate.bench.contender.Receiver#report}. */
    interface Contender {
        Map<String, Double> run() throws InterruptedException;
    }

    /** The figures of one run: those of the contender, and processor seconds of the server meanwhile. */
    private record Run(Map<String, Double> figures, double serverSeconds, double beganAt) {

        double figure(String name) {
            return figures.getOrDefault(name, Double.NaN);
        }

        double wall() {
            return (figure("end") - figure("first")) / 1e6;
        }

        double cpu() {
            return figure("user") + figure("system");
        }
    }

    private final BenchServer server;
    private final Report report;
    private final Map<String, Contender> contenders = new LinkedHashMap<>();

    Contest(BenchServer server, Report report) {
        this.server = server;
        this.report = report;
    }

    Contest add(String name, Contender contender) {
        contenders.put(name, contender);
        return this;
    }

    /**
     * Measures all of them.
     *
     * @param changes what each has to receive
     * @param base the contender that the others are compared with, run by run
     */
    void run(String title, long changes, int rounds, String base) throws InterruptedException {
        Map<String, List<Run>> runs = new LinkedHashMap<>();
        if (rounds > 1) { // the first run on a log that was just written is another one than those that follow
            contenders.values().iterator().next().run();
        }
        for (int round = 1; round <= rounds; round++) {
            for (Map.Entry<String, Contender> one : contenders.entrySet()) {
                double before = server.cpuSeconds();
                double beganAt = ChildReport.now();
                Run run = new Run(one.getValue().run(), server.cpuSeconds() - before, beganAt);
                check(title, one.getKey(), changes, run);
                runs.computeIfAbsent(one.getKey(), name -> new ArrayList<>()).add(run);
                report.progress(title + ", round " + round + ", " + one.getKey() + ": "
                        + Figures.number(run.wall()) + " s, " + Figures.number(changes / run.wall())
                        + " changes/s, client CPU " + Figures.number(run.cpu()) + " s");
            }
        }
        report.table(table(title, changes, runs, runs.get(base)));
    }

    private static void check(String title, String name, long changes, Run run) {
        double count = run.figure("count");
        boolean counted = !run.figures().containsKey(UNCOUNTED);
        if (counted && (count != changes || run.figure("right") != 1)) {
            throw new IllegalStateException(title + ", " + name + ": " + Math.round(count) + " changes came, not "
                    + changes + ", or the last one is wrong");
        }
    }

    private static Table table(String title, long changes, Map<String, List<Run>> runs, @Nullable List<Run> base) {
        Table table = new Table(
                title,
                List.of(
                        "contender",
                        "wall (s)",
                        "spread (s)",
                        "changes/s",
                        "of base",
                        "client CPU (s per 1M)",
                        "user",
                        "system",
                        "server CPU (s per 1M)",
                        "peak RSS (MiB)",
                        "allocated (B/change)",
                        "start (s)"));
        double millions = changes / 1e6;
        runs.forEach((name, of) -> table.row(
                name,
                median(of, Run::wall),
                Figures.spread(of.stream().map(Run::wall).toList()),
                median(of, run -> changes / run.wall()),
                ratio(of, base),
                median(of, run -> run.cpu() / millions),
                median(of, run -> run.figure("user") / millions),
                median(of, run -> run.figure("system") / millions),
                median(of, run -> run.serverSeconds() / millions),
                median(of, run -> run.figure("resident") / (1 << 20)),
                median(of, run -> run.figure("allocated") / changes),
                median(of, run -> (run.figure("first") - run.beganAt()) / 1e6)));
        return table;
    }

    /** How much faster than the base, each run against the base's of the same round. */
    private static double ratio(List<Run> of, @Nullable List<Run> base) {
        if (base == null) {
            return Double.NaN;
        }
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < of.size(); i++) {
            ratios.add(base.get(i).wall() / of.get(i).wall());
        }
        return Figures.median(ratios);
    }

    private static double median(List<Run> runs, ToDoubleFunction<Run> figure) {
        return Figures.median(runs.stream().map(figure::applyAsDouble).toList());
    }
}
