package io.tidegate.bench;

import io.tidegate.bench.contender.RecvLogical;
import io.tidegate.bench.engine.EngineAlone;
import io.tidegate.bench.micro.GateBenchmark;
import io.tidegate.bench.report.Report;
import io.tidegate.bench.server.BenchServer;
import io.tidegate.bench.workload.ContestOptions;
import io.tidegate.bench.workload.JdbcWorkload;
import io.tidegate.bench.workload.LatencyWorkload;
import io.tidegate.bench.workload.LiveContender;
import io.tidegate.bench.workload.MemoryWorkload;
import io.tidegate.bench.workload.RestartWorkload;
import io.tidegate.bench.workload.SnapshotWorkloads;
import io.tidegate.bench.workload.StreamWorkloads;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.TypeConversionException;

/** The command line of the bench. */
@Command(
        name = "bench/run",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Measures Tidegate on a PostgreSQL of its own, beside others on the same log. Prints tables.")
public final class Bench implements Callable<Integer> {

    /** What a quick run is made of if nothing is named. */
    private static final Workload[] QUICK = {Workload.TX500, Workload.SNAPSHOT};

    @Parameters(
            paramLabel = "WORKLOAD",
            arity = "0..*",
            converter = Words.class,
            description = "What is measured:%n${WORKLOADS}")
    private List<Workload> workloads = new ArrayList<>();

    @Option(
            names = "--quick",
            description =
                    "Small sizes, one round, two workloads unless named: to see in seconds that it works. Its figures say nothing.")
    private boolean quick;

    @Option(
            names = "--changes",
            paramLabel = "N",
            description = "Changes of a stream workload, and for the JDBC sink. Default: ${DEFAULT-VALUE}.")
    private long changes = 1_000_000;

    @Option(names = "--rows", paramLabel = "N", description = "Rows of a snapshot. Default: ${DEFAULT-VALUE}.")
    private long rows = 1_000_000;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            description =
                    "How often each contender of stream, snapshot, latency and JDBC runs, in turn. Default: ${DEFAULT-VALUE}.")
    private int rounds = 3;

    @Option(
            names = "--contenders",
            split = ",",
            paramLabel = "NAME",
            description = "Only these, of stream, snapshot and JDBC.")
    private List<String> contenders = new ArrayList<>();

    @Option(
            names = "--heap",
            description = "Heap of each contender of stream, snapshot and JDBC. Default: ${DEFAULT-VALUE}.")
    private String heap = "2g";

    @Option(names = "--jvm", paramLabel = "OPTION", description = "One more option of their JVMs; can be repeated.")
    private List<String> jvm = new ArrayList<>();

    @Option(
            names = "--postgres",
            paramLabel = "VERSION",
            description = "Major version of the server. Default: ${DEFAULT-VALUE}.")
    private int version = 17;

    @Option(names = "--json", paramLabel = "FILE", description = "Writes everything to this file as well.")
    private @Nullable Path json;

    /** Reads the words of {@link Workload}. */
    private static final class Words implements ITypeConverter<Workload> {

        @Override
        public Workload convert(String word) {
            for (Workload workload : Workload.values()) {
                if (workload.word().equals(word)) {
                    return workload;
                }
            }
            throw new TypeConversionException("there is no workload " + word);
        }
    }

    public static void main(String[] words) {
        System.exit(execute(words));
    }

    /** Runs a command line and returns its exit code. */
    static int execute(String... words) {
        StringBuilder known = new StringBuilder();
        for (Workload workload : Workload.values()) {
            known.append(String.format(Locale.ROOT, "  %-14s %s%n", workload.word(), workload.description));
        }
        System.setProperty("WORKLOADS", known + "All of them if none is given.");
        return new CommandLine(new Bench()).execute(words);
    }

    @Override
    public Integer call() throws IOException, InterruptedException, SQLException {
        Report report = new Report(System.out);
        facts(report);
        if (quick) {
            changes = Math.min(changes, 5_000);
            rows = Math.min(rows, 5_000);
            rounds = 1;
        }
        List<Workload> asked = workloads.isEmpty() ? List.of(quick ? QUICK : Workload.values()) : workloads;
        if (asked.stream().anyMatch(Workload::onServer)) {
            try (BenchServer server = BenchServer.start(version)) {
                report.fact("server", server.query("SELECT version()"));
                report.fact("settings", BenchServer.SETTINGS.toString());
                for (Workload workload : asked) {
                    if (workload.onServer()) {
                        run(workload, server, report);
                    }
                }
            }
        }
        for (Workload workload : asked) {
            if (!workload.onServer()) {
                run(workload, report);
            }
        }
        if (json != null) {
            report.write(json);
        }
        return 0;
    }

    private void run(Workload workload, BenchServer server, Report report)
            throws IOException, InterruptedException, SQLException {
        List<LiveContender> live = List.of(LiveContender.counting(), LiveContender.file(), LiveContender.debezium());
        switch (workload) {
            case SNAPSHOT -> snapshots(server, report).run(SnapshotWorkloads.Key.BIGINT, rows);
            case SNAPSHOT_UUID -> snapshots(server, report).run(SnapshotWorkloads.Key.UUID, rows);
            case LATENCY ->
                LatencyWorkload.run(
                        server,
                        report,
                        quick ? LatencyWorkload.Options.quick(live) : LatencyWorkload.Options.defaults(rounds, live));
            case RESTART -> {
                List<LiveContender> files = List.of(LiveContender.file(), LiveContender.debeziumFile());
                RestartWorkload.run(
                        server,
                        report,
                        quick ? RestartWorkload.Options.quick(files) : RestartWorkload.Options.defaults(files));
            }
            case MEMORY ->
                MemoryWorkload.run(
                        server, report, quick ? MemoryWorkload.Options.quick() : MemoryWorkload.Options.defaults());
            case JDBC -> JdbcWorkload.run(server, report, Math.toIntExact(changes), contest());
            default -> new StreamWorkloads(server, report, contest()).run(workload.word(), changes);
        }
    }

    private void run(Workload workload, Report report) throws IOException, InterruptedException {
        if (workload == Workload.GATE) {
            GateBenchmark.run(report, quick);
        } else {
            EngineAlone.run(report, new EngineAlone.Options(quick ? 400_000 : 50_000_000, List.of("-Xmx" + heap)));
        }
    }

    private SnapshotWorkloads snapshots(BenchServer server, Report report) {
        return new SnapshotWorkloads(server, report, contest());
    }

    private ContestOptions contest() {
        List<String> options = new ArrayList<>(jvm);
        options.add(0, "-Xmx" + heap);
        return new ContestOptions(rounds, options, contenders);
    }

    private void facts(Report report) throws IOException, InterruptedException {
        report.fact("processor", processor() + ", " + Runtime.getRuntime().availableProcessors() + " of them");
        report.fact("system", System.getProperty("os.name") + " " + System.getProperty("os.version"));
        report.fact("java", System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version"));
        report.fact("jvm options", contest().jvm().toString());
        Optional<RecvLogical> program = RecvLogical.find();
        report.fact("pg_recvlogical", program.isPresent() ? program.get().version() : "not there");
    }

    private static String processor() throws IOException {
        return Files.readAllLines(Path.of("/proc/cpuinfo")).stream()
                .filter(line -> line.startsWith("model name"))
                .map(line -> line.substring(line.indexOf(':') + 1).strip())
                .findFirst()
                .orElse("unknown");
    }
}
