package io.tidegate.bench.workload;

import io.tidegate.bench.process.ChildJvm;
import io.tidegate.bench.process.Usage;
import io.tidegate.bench.server.BenchServer;
import io.tidegate.testkit.postgres.PostgresServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** A contender's own slot on the table {@code load}, and its folders, which go away with it. */
final class LiveRun implements AutoCloseable {

    static final String PUBLICATION = "bench";
    private static final String SLOT = "bench_live";
    private static final Duration LOOK = Duration.ofMillis(50);

    private final BenchServer server;
    private final Path folder;
    private final Map<String, String> arguments = new HashMap<>();

    /** Makes the slot: it stands where {@link BenchServer#mark} was called. */
    LiveRun(BenchServer server) throws IOException {
        this.server = server;
        folder = Files.createTempDirectory("tidegate-bench-live");
        server.slot(SLOT);
        arguments.put("url", server.sourceUrl());
        arguments.put("host", "127.0.0.1");
        arguments.put("database", "postgres");
        arguments.put("user", PostgresServer.SUPERUSER);
        arguments.put("mode", "stream");
        arguments.put("port", Integer.toString(server.postgres().port()));
        arguments.put("table", "public.load");
        arguments.put("slot", SLOT);
        arguments.put("publication", PUBLICATION);
        arguments.put("state", Files.createDirectory(folder.resolve("state")).toString());
        arguments.put("folder", lines().toString());
        arguments.put("from", "0");
        arguments.put("until", "0");
        Files.createDirectory(lines());
    }

    /** An empty table of the load, its publication, and the place in the log where slots begin. */
    static void prepare(BenchServer server) {
        server.reset();
        Load.table(server);
        publish(server);
    }

    static void publish(BenchServer server) {
        server.execute("CREATE PUBLICATION " + PUBLICATION + " FOR TABLE load");
        server.mark();
    }

    ChildJvm start(LiveContender contender, List<String> jvm, Map<String, String> more) {
        Map<String, String> all = new HashMap<>(arguments);
        all.putAll(contender.arguments());
        all.putAll(more);
        return ChildJvm.start(contender.main(), jvm, all);
    }

    /** The folder that the contender writes files into. */
    Path lines() {
        return folder.resolve("lines");
    }

    /** Processor seconds of the server's process that sends to the contender; zero if none does. */
    double senderSeconds() {
        String pid = server.query("SELECT active_pid FROM pg_replication_slots WHERE slot_name = '" + SLOT + "'");
        return pid.isEmpty() ? 0 : Usage.of(Long.parseLong(pid)).cpuSeconds();
    }

    /** A figure that a contender must have given. */
    static double figure(Map<String, Double> figures, String name) {
        Double value = figures.get(name);
        if (value == null) {
            throw new IllegalStateException("the contender did not say " + name);
        }
        return value;
    }

    /** Waits until the contender reads the slot. */
    void awaitReading(ChildJvm child, Duration limit) throws InterruptedException {
        long end = System.nanoTime() + limit.toNanos();
        while (!reading()) {
            if (!child.alive() || System.nanoTime() > end) {
                throw new IllegalStateException("the contender does not read its slot after " + limit);
            }
            Thread.sleep(LOOK.toMillis());
        }
    }

    private boolean reading() {
        return server.query("SELECT active FROM pg_replication_slots WHERE slot_name = '" + SLOT + "'")
                .equals("t");
    }

    /** The slot cannot go before its reader's connection has. */
    @Override
    public void close() throws InterruptedException {
        server.awaitIdle(SLOT);
        server.dropSlot(SLOT);
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path one : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(one);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
