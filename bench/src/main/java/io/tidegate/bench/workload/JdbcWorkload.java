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

    private static final String TIDEGATE = "tidegate";
    private static final String APPEND = "tidegate, append";
    private static final long SEED = 20_240_501;
    private static final Duration LIMIT = Duration.ofMinutes(40);
    private static final double MICROS_PER_SECOND = 1e6;
    private static final double MILLION = 1e6;

    private final BenchServer server;
    private final Report report;
    private final Options options;

    /**
     * How much is measured.
     *
     * @param changes of each kind
     * @param rounds how often each writer is run, in turn
     * @param kinds which kinds
     * @param extra also batches of the driver, and mode append
     * @param jvm options of each writer's JVM
     */
    public record Options(int changes, int rounds, List<Kind> kinds, boolean extra, List<String> jvm) {
        public Options {
            kinds = List.copyOf(kinds);
            jvm = List.copyOf(jvm);
        }

        /** What the targets are measured with. */
        public static Options full() {
            return new Options(1_000_000, 3, List.of(Kind.values()), true, List.of("-Xms2g", "-Xmx2g"));
        }

        /** Some seconds, to see that every writer and every check works; its figures say nothing. */
        public static Options quick() {
            return new Options(10_000, 1, List.of(Kind.INSERTS, Kind.MIX), true, List.of("-Xmx512m"));
        }
    }

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

    private JdbcWorkload(BenchServer server, Report report, Options options) {
        this.server = server;
        this.report = report;
        this.options = options;
    }

    /** Adds a table for each kind. */
    public static void run(BenchServer server, Report report, Options options)
            throws IOException, InterruptedException {
        JdbcWorkload workload = new JdbcWorkload(server, report, options);
        for (Kind kind : options.kinds()) {
            workload.run(kind);
        }
    }

    /** By itself: {@code [changes [rounds [kind,… [jvm options…]]]]}. */
    public static void main(String[] words) throws IOException, InterruptedException {
        Options full = Options.full();
        Options options = new Options(
                words.length > 0 ? Integer.parseInt(words[0]) : full.changes(),
                words.length > 1 ? Integer.parseInt(words[1]) : full.rounds(),
                words.length > 2
                        ? Stream.of(words[2].split(",", -1)).map(Kind::of).toList()
                        : full.kinds(),
                !Boolean.getBoolean("bench.targets.only"),
                words.length > 3 ? List.of(words).subList(3, words.length) : full.jvm());
        try (BenchServer server = BenchServer.start(17)) {
            run(server, new Report(System.out), options);
        }
    }

    private void run(Kind kind) throws IOException, InterruptedException {
        TargetChanges changes = TargetChanges.of(kind, options.changes(), SEED);
        server.reset();
        TargetTable table = new TargetTable(server, new TargetRows(SEED), changes);
        List<Measured> all = writers(kind).stream()
                .map(writer -> new Measured(writer, new ArrayList<>()))
                .toList();
        for (int round = 1; round <= options.rounds(); round++) {
            for (Measured one : all) {
                table.prepare();
                Run run = measured(one.writer(), kind);
                if (one.writer().name().equals(APPEND)) {
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
        List<Writer> writers = new ArrayList<>();
        if (kind == Kind.INSERTS) {
            writers.add(new Writer("COPY", CopyWriter.class, Map.of()));
            writers.add(new Writer(TIDEGATE, TidegateWriter.class, Map.of("mode", "upsert")));
            if (options.extra()) {
                writers.add(new Writer(APPEND, TidegateWriter.class, Map.of("mode", "append")));
                writers.add(new Writer("a statement each", StatementWriter.class, Map.of()));
            }
        } else {
            writers.add(new Writer("a statement each", StatementWriter.class, Map.of()));
            writers.add(new Writer(TIDEGATE, TidegateWriter.class, Map.of("mode", "upsert")));
            if (options.extra()) {
                writers.add(new Writer("a statement each, in batches", StatementWriter.class, Map.of("batch", "true")));
            }
            if (options.extra() && kind == Kind.MIX) {
                writers.add(new Writer(APPEND, TidegateWriter.class, Map.of("mode", "append")));
            }
        }
        return writers;
    }

    private Run measured(Writer writer, Kind kind) throws IOException, InterruptedException {
        Path state = Files.createTempDirectory("bench-state");
        try {
            Map<String, String> arguments = new LinkedHashMap<>(writer.arguments());
            arguments.put("url", server.url());
            arguments.put("kind", kind.word());
            arguments.put("count", Integer.toString(options.changes()));
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
                "JDBC sink, " + Figures.number(options.changes()) + " " + title(kind),
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
        double million = options.changes() / MILLION;
        for (Measured one : all) {
            double seconds = one.median(Run::seconds);
            table.row(
                    one.writer().name(),
                    seconds,
                    Figures.spread(one.runs().stream().map(Run::seconds).toList()),
                    options.changes() / seconds,
                    baseline / seconds,
                    one.median(Run::client) / million,
                    one.median(Run::server) / million,
                    one.median(Run::allocated) / options.changes());
        }
        return table;
    }

    private static String title(Kind kind) {
        return kind == Kind.MIX ? "changes, 80 % updates, 10 % inserts, 10 % deletes" : kind.word();
    }
}
