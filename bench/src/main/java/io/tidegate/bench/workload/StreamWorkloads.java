package io.tidegate.bench.workload;

import io.tidegate.bench.contender.DebeziumContender;
import io.tidegate.bench.contender.FloorReader;
import io.tidegate.bench.contender.RecvLogical;
import io.tidegate.bench.contender.TidegateContender;
import io.tidegate.bench.report.Report;
import io.tidegate.bench.server.BenchServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The log is there already, and each contender reads it as fast as it can, from a slot that stands at its begin. */
public final class StreamWorkloads {

    /** What all others are compared with. */
    static final String FLOOR = "floor";

    private static final Duration LIMIT = Duration.ofHours(1);
    private static final String SLOT = "bench_run";

    private final BenchServer server;
    private final Report report;
    private final ContestOptions options;

    public StreamWorkloads(BenchServer server, Report report, ContestOptions options) {
        this.server = server;
        this.report = report;
        this.options = options;
    }

    /** Runs the workload of this name. */
    public void run(String name, long changes) throws InterruptedException {
        run(
                switch (name) {
                    case "tx500" -> StreamLoad.inserts(changes, 500);
                    case "tx1" -> StreamLoad.inserts(changes, 1);
                    case "updates" -> StreamLoad.updates(changes);
                    case "wide" -> StreamLoad.wide(changes);
                    case "large" -> StreamLoad.large(changes);
                    case "one" -> StreamLoad.oneTransaction(changes);
                    case "sparse" -> StreamLoad.sparse(changes);
                    default -> throw new IllegalArgumentException("no workload " + name);
                });
    }

    private void run(StreamLoad load) throws InterruptedException {
        server.reset();
        server.execute(load.before());
        server.mark();
        List<String> statements = new ArrayList<>(load.load());
        statements.add(0, "SET synchronous_commit = off");
        server.execute(statements);
        server.execute("CHECKPOINT");
        Contest contest = new Contest(server, report);
        if (options.runs(FLOOR)) {
            contest.add(FLOOR, () -> child(FloorReader.class, load, Map.of("mark", load.mark())));
        }
        RecvLogical.find().filter(found -> options.runs("pg_recvlogical")).ifPresent(found -> {
            String end = server.logEnd();
            contest.add("pg_recvlogical", () -> recvLogical(found, end));
        });
        for (String name : List.of("tidegate", "tidegate again")) {
            if (options.runs(name)) {
                contest.add(
                        name,
                        () -> child(
                                TidegateContender.class,
                                load,
                                Map.of("sink", "count", "mark", "\"id\":" + load.mark())));
            }
        }
        if (options.runs("tidegate to file")) {
            contest.add(
                    "tidegate to file",
                    () -> child(
                            TidegateContender.class, load, Map.of("sink", "file", "mark", "\"id\":" + load.mark())));
        }
        debezium(contest, load, "debezium", true);
        debezium(contest, load, "debezium without schemas", false);
        contest.run(load.name(), load.changes(), options.rounds(), FLOOR);
    }

    /** Its JSON holds the schema of each event as it comes; many of its users turn that off. */
    private void debezium(Contest contest, StreamLoad load, String name, boolean schemas) {
        if (options.runs(name)) {
            Map<String, String> arguments = Map.of(
                    "mark",
                    "\"id\":" + load.mark(),
                    "poll",
                    "10",
                    "debezium.converter.schemas.enable",
                    Boolean.toString(schemas));
            contest.add(name, () -> child(DebeziumContender.class, load, arguments));
        }
    }

    private Map<String, Double> recvLogical(RecvLogical program, String end) throws InterruptedException {
        server.slot(SLOT);
        try {
            Map<String, Double> figures = new LinkedHashMap<>(program.run(server, SLOT, "bench", end, LIMIT));
            figures.put(Contest.UNCOUNTED, 1.0);
            return figures;
        } finally {
            server.awaitIdle(SLOT);
            server.dropSlot(SLOT);
        }
    }

    private Map<String, Double> child(Class<?> main, StreamLoad load, Map<String, String> more)
            throws InterruptedException {
        server.slot(SLOT);
        try {
            Map<String, String> arguments = new LinkedHashMap<>();
            arguments.put("slot", SLOT);
            arguments.put("publication", "bench");
            arguments.put("table", StreamLoad.TABLE);
            arguments.put("expect", Long.toString(load.changes()));
            arguments.put("mode", "stream");
            arguments.putAll(more);
            return MeasuredChild.run(server, main, options.jvm(), arguments);
        } finally {
            server.awaitIdle(SLOT);
            server.dropSlot(SLOT);
        }
    }
}
