package io.tidegate.bench.engine;

import io.tidegate.bench.process.Arguments;
import io.tidegate.bench.process.ChildReport;
import io.tidegate.bench.process.Usage;
import io.tidegate.engine.Pipeline;
import io.tidegate.engine.PipelineOptions;
import io.tidegate.engine.env.Environment;
import io.tidegate.engine.env.RealDisk;
import io.tidegate.engine.store.FileStateStore;
import io.tidegate.engine.store.StateStore;
import io.tidegate.formats.JsonEncoder;
import io.tidegate.spi.Batch;
import io.tidegate.spi.ByteBuilder;
import io.tidegate.spi.Change;
import io.tidegate.spi.Checkpoint;
import io.tidegate.spi.Finding;
import io.tidegate.spi.Replan;
import io.tidegate.spi.Sink;
import io.tidegate.spi.SinkContext;
import io.tidegate.spi.SinkSession;
import io.tidegate.spi.SplitPlan;
import io.tidegate.spi.SplitProgress;
import io.tidegate.testkit.fake.Numbered;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Pipelines of one process, run from the moment when all of them are ready until the last change is delivered. */
final class EngineRun {

    private static final Duration LIMIT = Duration.ofMinutes(5);
    private static final int MADE = 1_024;
    /** That a hundred pipelines begin and end is no news here. */
    private static final Logger LOG = Logger.getLogger("io.tidegate");

    /** So that only the number of batches bounds what is in flight. */
    private static final long BYTES_MAX = 1L << 40;

    private final Arguments arguments;
    private final int changesPerSplit;
    private final int pipelines;
    private final int splits;
    private final Path folder;
    private final AtomicLong left;
    private final List<CountedStore> stores = new CopyOnWriteArrayList<>();
    private final CountDownLatch opened;
    private final CountDownLatch go = new CountDownLatch(1);
    private final CountDownLatch delivered = new CountDownLatch(1);

    private EngineRun(Arguments arguments, long changes) throws IOException {
        this.arguments = arguments;
        pipelines = (int) arguments.number("pipelines");
        splits = (int) arguments.number("splits");
        changesPerSplit = (int) (changes / pipelines / splits);
        left = new AtomicLong((long) changesPerSplit * splits * pipelines);
        opened = new CountDownLatch(splits * pipelines);
        folder = Files.createTempDirectory("tidegate-bench-engine");
    }

    /** Runs a part of it first, so that what is measured is compiled. */
    public static void main(String[] words) throws Exception {
        LOG.setLevel(Level.WARNING);
        Arguments arguments = Arguments.of(words);
        long changes = arguments.number("changes");
        ChildReport report = new ChildReport();
        new EngineRun(arguments, changes / 2).run(report);
        new EngineRun(arguments, changes).run(report);
        report.print();
    }

    /**
     * Puts {@code changes}, {@code seconds}, {@code cpu} (seconds), {@code allocated} (bytes), and {@code writes}: how often a
     * second a store was written to, between its first write and its last.
     */
    private void run(ChildReport report) throws InterruptedException, IOException {
        Change[] made = IntStream.range(0, MADE)
                .mapToObj(n -> Numbered.change("bench", n))
                .toArray(Change[]::new);
        List<Pipeline> running = new ArrayList<>();
        for (int i = 0; i < pipelines; i++) {
            running.add(start("p" + i, new MadeSource(made, splits, changesPerSplit, opened, go)));
        }
        await(opened, "open");
        report.settle(); // what was made until now is not collected meanwhile
        long changes = left.get();
        stores.forEach(CountedStore::begin);
        long allocatedBefore = report.allocatedBytes();
        double cpuBefore = Usage.self().cpuSeconds();
        long begin = System.nanoTime();
        go.countDown();
        await(delivered, "deliver everything");
        long nanos = System.nanoTime() - begin;
        long intervals = stores.stream().mapToLong(CountedStore::intervals).sum();
        double apart = stores.stream().mapToDouble(CountedStore::seconds).sum();
        double writes = intervals == 0 ? 0 : intervals / apart;
        report.put("cpu", Usage.self().cpuSeconds() - cpuBefore)
                .put("changes", changes)
                .put("seconds", nanos / 1e9)
                .put("writes", writes)
                .put("allocated", report.allocatedBytes() - allocatedBefore);
        for (Pipeline pipeline : running) {
            Pipeline.Outcome outcome = pipeline.await(LIMIT);
            if (outcome == null || outcome.failure() != null) {
                throw new IllegalStateException("a pipeline ended so: " + outcome);
            }
        }
        delete();
    }

    private static void await(CountDownLatch latch, String what) throws InterruptedException {
        if (!latch.await(LIMIT.toNanos(), TimeUnit.NANOSECONDS)) {
            throw new IllegalStateException("the pipelines did not " + what + " within " + LIMIT);
        }
    }

    private Pipeline start(String name, MadeSource source) {
        Environment environment = Environment.system();
        PipelineOptions usual = PipelineOptions.defaults();
        PipelineOptions options = new PipelineOptions(
                (int) arguments.number("batch"),
                usual.batchBytes(),
                (int) arguments.number("in_flight"),
                BYTES_MAX,
                usual.checkpointInterval(),
                usual.checkpointChanges(),
                usual.rejects(),
                usual.retryInitial(),
                usual.retryMax(),
                usual.stopTimeout());
        FileStateStore.Options store = new FileStateStore.Options(new RealDisk(), folder, name, source.positions());
        Pipeline pipeline = new Pipeline(
                new Pipeline.Definition(
                        name,
                        source,
                        new CountingSink(arguments.text("json").equals("true")),
                        JsonEncoder::new,
                        options,
                        () -> counted(FileStateStore.open(store, "bench"))),
                environment);
        pipeline.start();
        return pipeline;
    }

    private CountedStore counted(StateStore store) {
        CountedStore counted = new CountedStore(store);
        stores.add(counted);
        return counted;
    }

    private void delete() throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    private final class CountingSink implements Sink {
        private final boolean json;

        CountingSink(boolean json) {
            this.json = json;
        }

        @Override
        public List<Finding> check() {
            return List.of();
        }

        @Override
        public SinkSession open(SinkContext context) {
            return new CountingSession(context, json);
        }
    }

    private final class CountingSession implements SinkSession {
        private final SinkContext context;
        private final boolean json;
        private final ByteBuilder out = new ByteBuilder(1 << 16);
        private final List<Batch> accepted = new ArrayList<>();

        CountingSession(SinkContext context, boolean json) {
            this.context = context;
            this.json = json;
        }

        @Override
        public void accept(Batch batch) {
            if (json) {
                for (Change change : batch.changes()) {
                    out.clear();
                    context.encoder().encode(change, out);
                }
            }
            accepted.add(batch);
        }

        @Override
        public void flush() {
            for (Batch batch : accepted) {
                context.durable(batch);
                int size = batch.changes().size();
                if (left.addAndGet(-size) == 0) {
                    delivered.countDown();
                }
            }
            accepted.clear();
        }

        @Override
        public void abort() {}

        @Override
        public void close() {}
    }

    private static final class CountedStore implements StateStore {
        private final StateStore store;
        private long writes;
        private long first;
        private long last;

        CountedStore(StateStore store) {
            this.store = store;
        }

        synchronized void begin() {
            writes = 0;
        }

        synchronized long intervals() {
            return Math.max(0, writes - 1);
        }

        /** From the first write to the last one. */
        synchronized double seconds() {
            return writes == 0 ? 0 : (last - first) / 1e9;
        }

        private synchronized void count() {
            last = System.nanoTime();
            if (writes++ == 0) {
                first = last;
            }
        }

        @Override
        public Checkpoint read() {
            return store.read();
        }

        @Override
        public void replan(Replan replan) {
            store.replan(replan);
        }

        @Override
        public void progress(List<SplitPlan> planned, List<SplitProgress> progress) {
            count();
            store.progress(planned, progress);
        }

        @Override
        public void close() {
            store.close();
        }
    }
}
