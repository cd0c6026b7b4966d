package io.tidegate.bench.engine;

import io.tidegate.bench.process.ChildJvm;
import io.tidegate.bench.report.Report;
import io.tidegate.bench.report.Table;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What the engine itself costs for each change, against the number of splits, the size of a batch, the batches in flight and
 * the pipelines of a process. Each row is a fresh JVM; the number of changes is the same in all of them.
 */
public final class EngineAlone {

    private static final Duration LIMIT = Duration.ofMinutes(15);
    private static final List<String> MEASURES =
            List.of("changes/s", "CPU (s/million)", "allocated (bytes/change)", "writes/s of a store");

    private final Report report;
    private final Options options;

    /**
     * How much is measured.
     *
     * @param changes in all, whatever the row
     * @param jvm options of each JVM
     */
    public record Options(long changes, List<String> jvm) {}

    private EngineAlone(Report report, Options options) {
        this.report = report;
        this.options = options;
    }

    /** Adds a table for each thing that is varied; the other things are as a configuration that says nothing has them. */
    public static void run(Report report, Options options) throws InterruptedException {
        EngineAlone alone = new EngineAlone(report, options);
        alone.table("splits", "splits", "1", "4", "16", "64");
        alone.table("batch (changes)", "batch", "10", "100", "1000", "10000");
        alone.table("in flight (batches)", "in_flight", "4", "16", "256");
        alone.table("pipelines", "pipelines", "1", "10", "100");
        alone.table("JSON made", "json", "false", "true");
    }

    private void table(String title, String argument, String... values) throws InterruptedException {
        List<String> columns = new ArrayList<>(MEASURES);
        columns.add(0, title);
        Table table = new Table("Engine alone: " + title, columns);
        for (String value : values) {
            report.progress("engine alone, " + title + ": " + value);
            add(table, argument, value);
        }
        report.table(table);
    }

    private void add(Table table, String argument, String value) throws InterruptedException {
        Map<String, String> arguments = new LinkedHashMap<>(Map.of(
                "changes",
                Long.toString(options.changes()),
                "splits",
                "1",
                "batch",
                "1000",
                "in_flight",
                "256",
                "pipelines",
                "1",
                "json",
                "false"));
        arguments.put(argument, value);
        try (ChildJvm child = ChildJvm.start(EngineRun.class, options.jvm(), arguments)) {
            Map<String, Double> figures = child.await(LIMIT);
            double changes = figure(figures, "changes");
            double seconds = figure(figures, "seconds");
            table.row(
                    value,
                    changes / seconds,
                    figure(figures, "cpu") * 1e6 / changes,
                    figure(figures, "allocated") / changes,
                    figure(figures, "writes"));
        }
    }

    private static double figure(Map<String, Double> figures, String name) {
        Double value = figures.get(name);
        if (value == null) {
            throw new IllegalStateException("the child did not say " + name);
        }
        return value;
    }

    public static void main(String[] arguments) throws InterruptedException {
        long changes = arguments.length > 0 ? Long.parseLong(arguments[0]) : 50_000_000;
        run(new Report(System.out), new Options(changes, List.of("-Xmx2g")));
    }
}
