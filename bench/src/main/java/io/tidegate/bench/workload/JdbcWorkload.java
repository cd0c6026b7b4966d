package io.tidegate.bench.workload;

import io.tidegate.bench.jdbc.CopyWriter;
import io.tidegate.bench.jdbc.StatementWriter;
import io.tidegate.bench.jdbc.TargetChanges;
import io.tidegate.bench.jdbc.TargetChanges.Kind;
import io.tidegate.bench.jdbc.TargetRows;
import io.tidegate.bench.jdbc.TargetTable;
import io.tidegate.bench.jdbc.TidegateWriter;
import io.tidegate.bench.process.ChildJvm;
import io.tidegate.bench.report.Figures;
import io.tidegate.bench.report.Report;
import io.tidegate.bench.report.Table;
import io.tidegate.bench.server.BenchServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/**
 * The sink {@code jdbc} to PostgreSQL: the same changes by Tidegate, and by what one would write without it, in turn. After
 * each run the table is compared row by row with what the changes must leave, and so their order is.
 */
public final class JdbcWorkload {

    private static final Writer COPY = new Writer("COPY", CopyWriter.class, Map.of());
    private static final Writer UPSERTING = new Writer("tidegate", TidegateWriter.class, Map.of("mode", "upsert"));
    private static final Writer APPENDING =
            new Writer("tidegate append", TidegateWriter.class, Map.of("mode", "append"));
    private static final Writer STATEMENTS = new Writer("a statement each", StatementWriter.class, Map.of());
    private static final Writer BATCHED =
            new Writer("a statement each in batches", StatementWriter.class, Map.of("batch", "true"));
    private static final long SEED = 20_240_501;
    private static final Duration LIMIT = Duration.ofMinutes(40);
    private static final double MICROS_PER_SECOND = 1e6;
    private static final double MILLION = 1e6;

    private final BenchServer server;
    private final Report report;
    private final int changes;
    private final ContestOptions options;

    /** Someone who writes the changes. */
    private record Writer(String name, Class<?> main, Map<String, String> arguments) {}

    /** What one run of a writer took. */
    private record Run(double seconds, double client, double server, double allocated) {}

    /** A writer, and what its runs took. */
    private record Measured(Writer writer, List<Run> runs) {
        double median(ToDoubleFunction<Run> figure) {
            return Figures.median(runs.stream().map(figure::applyAsDouble).toList());
        }
    }

    private JdbcWorkload(BenchServer server, Report report, int changes, ContestOptions options) {
        this.server = server;
        this.report = report;
        this.changes = changes;
        this.options = options;
    }

    /** Adds a table for each kind of so many changes. */
    public static void run(BenchServer server, Report report, int changes, ContestOptions options)
            throws IOException, InterruptedException {
        JdbcWorkload workload = new JdbcWorkload(server, report, changes, options);
        for (Kind kind : Kind.values()) {
            workload.run(kind);
        }
    }

    private void run(Kind kind) throws IOException, InterruptedException {
        List<Measured> all = writers(kind).stream()
                .map(writer -> new Measured(writer, new ArrayList<>()))
                .toList();
        if (all.isEmpty()) {
            return;
        }
        server.reset();
        TargetTable table = new TargetTable(server, new TargetRows(SEED), TargetChanges.of(kind, changes, SEED));
        for (int round = 1; round <= options.rounds(); round++) {
            for (Measured one : all) {
                table.prepare();
                Run run = measured(one.writer(), kind);
                if (one.writer().equals(APPENDING)) {
                    table.checkAppended();
                } else {
                    table.check(one.writer().name());
                }
                one.runs().add(run);
                report.progress(kind.word() + ", " + one.writer().name() + ", round " + round + ": "
                        + Figures.number(run.seconds()) + " s");
            }
        }
        report.table(table(kind, all));
    }

    /** The first one is what the others are compared with. */
    private List<Writer> writers(Kind kind) {
        Stream<Writer> all = kind == Kind.INSERTS
                ? Stream.of(COPY, UPSERTING, APPENDING, STATEMENTS)
                : Stream.of(STATEMENTS, UPSERTING, BATCHED);
        return all.filter(writer -> options.runs(writer.name())).toList();
    }

    private Run measured(Writer writer, Kind kind) throws IOException, InterruptedException {
        Path state = Files.createTempDirectory("bench-state");
        try {
            Map<String, String> arguments = new LinkedHashMap<>(writer.arguments());
            arguments.put("url", server.url());
            arguments.put("kind", kind.word());
            arguments.put("count", Integer.toString(changes));
            arguments.put("seed", Long.toString(SEED));
            arguments.put("state", state.toString());
            double before = server.cpuSeconds();
            Map<String, Double> figures;
            try (ChildJvm child = ChildJvm.start(writer.main(), options.jvm(), arguments)) {
                figures = child.await(LIMIT);
            }
            double used = server.cpuSeconds() - before;
            double seconds = (figure(figures, "end") - figure(figures, "first")) / MICROS_PER_SECOND;
            return new Run(seconds, figure(figures, "cpu"), used, figure(figures, "allocated"));
        } finally {
            delete(state);
        }
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path one : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(one);
            }
        }
    }

    private static double figure(Map<String, Double> figures, String name) {
        Double value = figures.get(name);
        if (value == null) {
            throw new IllegalStateException("the writer did not say " + name);
        }
        return value;
    }

    private Table table(Kind kind, List<Measured> all) {
        Table table = new Table(
                "JDBC sink, " + Figures.number(changes) + " " + title(kind),
                List.of(
                        "writer",
                        "wall (s)",
                        "spread (s)",
                        "changes per s",
                        "times the speed of " + all.get(0).writer().name(),
                        "client CPU (s per million)",
                        "server CPU (s per million)",
                        "allocated (bytes per change)"));
        double baseline = all.get(0).median(Run::seconds);
        double million = changes / MILLION;
        for (Measured one : all) {
            double seconds = one.median(Run::seconds);
            table.row(
                    one.writer().name(),
                    seconds,
                    Figures.spread(one.runs().stream().map(Run::seconds).toList()),
                    changes / seconds,
                    baseline / seconds,
                    one.median(Run::client) / million,
                    one.median(Run::server) / million,
                    one.median(Run::allocated) / changes);
        }
        return table;
    }

    private static String title(Kind kind) {
        return kind == Kind.MIX ? "changes, 80 % updates, 10 % inserts, 10 % deletes" : kind.word();
    }
}
