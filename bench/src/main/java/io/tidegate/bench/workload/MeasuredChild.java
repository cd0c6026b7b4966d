package io.tidegate.bench.workload;

import io.tidegate.bench.process.ChildJvm;
import io.tidegate.bench.server.BenchServer;
import io.tidegate.testkit.postgres.PostgresServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** One run of a contender in a fresh JVM and a fresh folder; if it wrote files, these say what arrived. */
final class MeasuredChild {

    private static final Duration LIMIT = Duration.ofHours(2);

    private MeasuredChild() {}

    /** Runs it to its end, with the server's address and the folder as further arguments. */
    static Map<String, Double> run(BenchServer server, Class<?> main, List<String> jvm, Map<String, String> given)
            throws InterruptedException {
        Path folder = folder();
        try {
            Map<String, String> arguments = new LinkedHashMap<>(given);
            arguments.put("host", "127.0.0.1");
            arguments.put("port", Integer.toString(server.postgres().port()));
            arguments.put("database", "postgres");
            arguments.put("user", PostgresServer.SUPERUSER);
            arguments.put("url", server.url());
            arguments.put("source", server.sourceUrl());
            arguments.put("folder", folder.toString());
            Map<String, Double> figures;
            try (ChildJvm child = ChildJvm.start(main, jvm, arguments)) {
                figures = new LinkedHashMap<>(child.await(LIMIT));
            }
            WrittenLines.in(folder.resolve("out")).ifPresent(lines -> {
                figures.put("count", (double) lines.count());
                figures.put("right", lines.last().contains(given.getOrDefault("mark", "")) ? 1.0 : 0.0);
            });
            return figures;
        } finally {
            delete(folder);
        }
    }

    private static Path folder() {
        try {
            return Files.createTempDirectory("tidegate-bench-");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void delete(Path folder) {
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path one : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(one);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
