package io.tidegate.bench;

import io.tidegate.bench.report.Report;
import io.tidegate.bench.server.BenchServer;
import io.tidegate.bench.workload.ContestOptions;
import io.tidegate.bench.workload.SnapshotWorkloads;
import io.tidegate.bench.workload.StreamWorkloads;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command line of the bench. */
@Command(name = "bench/run", mixinStandardHelpOptions = true, description = "Measures Tidegate.")
public final class Bench implements Callable<Integer> {

    @Option(names = "--changes", description = "Changes of a stream workload (default: ${DEFAULT-VALUE}).")
    private long changes = 1_000_000;

    @Option(names = "--rounds", description = "How often each contender runs (default: ${DEFAULT-VALUE}).")
    private int rounds = 3;

    @Option(names = "--heap", description = "Heap of each contender (default: ${DEFAULT-VALUE}).")
    private String heap = "2g";

    @Option(names = "--jvm", description = "More options of each contender's JVM.")
    private List<String> jvm = new ArrayList<>();

    @Option(names = "--contenders", split = ",", description = "Only these.")
    private List<String> contenders = new ArrayList<>();

    @CommandLine.Parameters(description = "Workloads")
    private List<String> workloads = new ArrayList<>();

    public static void main(String[] words) {
        System.exit(new CommandLine(new Bench()).execute(words));
    }

    @Override
    public Integer call() throws Exception {
        Report report = new Report(System.out);
        List<String> options = new ArrayList<>(jvm);
        options.add(0, "-Xmx" + heap);
        try (BenchServer server = BenchServer.start(17)) {
            ContestOptions contest = new ContestOptions(rounds, options, contenders);
            for (String workload : workloads) {
                switch (workload) {
                    case "snapshot" ->
                        new SnapshotWorkloads(server, report, contest).run(SnapshotWorkloads.Key.BIGINT, changes);
                    case "snapshot-uuid" ->
                        new SnapshotWorkloads(server, report, contest).run(SnapshotWorkloads.Key.UUID, changes);
                    default -> new StreamWorkloads(server, report, contest).run(workload, changes);
                }
            }
        }
        return 0;
    }
}
