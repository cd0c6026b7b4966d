package io.tidegate.bench.workload;

import io.tidegate.bench.contender.CopyReader;
import io.tidegate.bench.contender.DebeziumContender;
import io.tidegate.bench.contender.TidegateContender;
import io.tidegate.bench.report.Report;
import io.tidegate.bench.server.BenchServer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A table is there already, and each contender reads all of it. The clock begins before anything of the table is read: COPY has
 * connected, Tidegate has opened its sink, Debezium begins to poll its connector. Chunks come in no order, so there is no last
 * value to look at: rows are counted.
 */
public final class SnapshotWorkloads {

    /** What all others are compared with: one sequential COPY of the table. */
    static final String COPY = "COPY";

    private final BenchServer server;
    private final Report report;
    private final ContestOptions options;

    public SnapshotWorkloads(BenchServer server, Report report, ContestOptions options) {
        this.server = server;
        this.report = report;
        this.options = options;
    }

    /** What the rows are keyed by. */
    public enum Key {
        BIGINT("bigint", "i"),
        /** In no order: the primary key says nothing about where a row lies. */
        UUID("uuid", "gen_random_uuid()");

        private final String type;
        private final String value;

        Key(String type, String value) {
            this.type = type;
            this.value = value;
        }
    }

    /** Measures the snapshot of so many rows of about 190 bytes. */
    public void run(Key key, long rows) throws InterruptedException {
        server.reset();
        server.execute(
                StreamLoad.table(key.type),
                StreamLoad.insert(key.value, 1, rows),
                "VACUUM (FREEZE, ANALYZE) events",
                StreamLoad.PUBLICATION,
                "CHECKPOINT");
        Contest contest = new Contest(server, report);
        if (options.runs(COPY)) {
            contest.add(COPY, () -> child(CopyReader.class, rows, Map.of()));
        }
        for (String name : List.of("tidegate", "tidegate again", "tidegate to file")) {
            if (options.runs(name)) {
                Map<String, String> sink = Map.of("sink", name.endsWith("file") ? "file" : "count");
                contest.add(name, () -> child(TidegateContender.class, rows, sink));
            }
        }
        debezium(contest, rows, "debezium", true);
        debezium(contest, rows, "debezium without schemas", false);
        String title = "snapshot of " + String.format(Locale.ROOT, "%,d", rows) + " rows keyed by " + key.type;
        contest.run(title, rows, options.rounds(), COPY);
    }

    private void debezium(Contest contest, long rows, String name, boolean schemas) {
        if (options.runs(name)) {
            Map<String, String> arguments =
                    Map.of("poll", "10", "debezium.converter.schemas.enable", Boolean.toString(schemas));
            contest.add(name, () -> child(DebeziumContender.class, rows, arguments));
        }
    }

    private Map<String, Double> child(Class<?> main, long rows, Map<String, String> more) throws InterruptedException {
        Map<String, String> arguments = new LinkedHashMap<>();
        arguments.put("slot", "bench_snapshot");
        arguments.put("publication", "bench");
        arguments.put("table", StreamLoad.TABLE);
        arguments.put("expect", Long.toString(rows));
        arguments.put("mark", "");
        arguments.put("mode", "snapshot");
        arguments.putAll(more);
        try {
            return MeasuredChild.run(server, main, options.jvm(), arguments);
        } finally {
            server.awaitIdle("bench_snapshot");
            server.dropSlot("bench_snapshot");
        }
    }
}
