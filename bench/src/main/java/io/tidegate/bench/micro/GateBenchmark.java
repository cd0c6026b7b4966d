package io.tidegate.bench.micro;

import io.tidegate.bench.report.Report;
import io.tidegate.bench.report.Table;
import io.tidegate.engine.gate.Batcher;
import io.tidegate.engine.gate.Gate;
import io.tidegate.engine.gate.GateEffects;
import io.tidegate.engine.gate.GateEnd;
import io.tidegate.engine.gate.GateLimits;
import io.tidegate.engine.gate.GateWrite;
import io.tidegate.spi.Position;
import io.tidegate.spi.SplitPlan;
import io.tidegate.spi.SplitProgress;
import io.tidegate.spi.SplitState;
import io.tidegate.testkit.fake.NumberPositions;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * What a change costs on its way through batcher and gate: it joins a batch, which is cut, tracked, settled behind a few
 * others, released; the frontier moves, is persisted when that is due, and acknowledged. Sink, store and source answer at
 * once. One operation is one change.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class GateBenchmark {

    /** Changes of one invocation: whole batches of each size, the same number of each split. */
    private static final int CHANGES = 64_000;

    private static final int CHANGE_BYTES = 200;
    /** Batches of a split that are in flight before its oldest is settled. */
    private static final int IN_FLIGHT = 4;

    /** Such as the options' defaults. */
    private static final GateLimits LIMITS = new GateLimits(
            1_024,
            1L << 40,
            100_000,
            TimeUnit.MILLISECONDS.toNanos(200),
            TimeUnit.MILLISECONDS.toNanos(50),
            TimeUnit.SECONDS.toNanos(1),
            TimeUnit.SECONDS.toNanos(60),
            TimeUnit.SECONDS.toNanos(8));

    @Param({"1", "10", "100", "1000"})
    int batch;

    @Param({"1", "64"})
    int splits;

    private Gate gate = new Gate(1, LIMITS, new NumberPositions(), List.of(), 0, new Answers());
    private Answers answers = new Answers();
    private Batcher[] batchers = {};
    private int[] places = {};

    /** What the gate wants done, until it is answered. */
    private static final class Answers implements GateEffects {
        private @Nullable GateWrite write;
        private final List<SplitProgress> acknowledged = new ArrayList<>();
        private final List<Integer> acknowledgedSplits = new ArrayList<>();

        @Override
        public void open(int split, SplitPlan plan, @Nullable Position from) {}

        @Override
        public void persist(GateWrite due) {
            write = due;
        }

        @Override
        public void acknowledge(int split, SplitProgress durable) {
            acknowledgedSplits.add(split);
            acknowledged.add(durable);
        }

        @Override
        public void end(GateEnd how, String why) {
            throw new IllegalStateException(how + ": " + why);
        }
    }

    /** A session of its own for each iteration. */
    @Setup(Level.Iteration)
    public void begin() {
        List<SplitState> stored = new ArrayList<>();
        batchers = new Batcher[splits];
        places = new int[splits];
        for (int split = 0; split < splits; split++) {
            stored.add(SplitState.fresh(new SplitPlan("s" + split, List.of(), new NumberPositions.Place(0), "")));
            batchers[split] = new Batcher();
        }
        answers = new Answers();
        gate = new Gate(1, LIMITS, new NumberPositions(), stored, System.nanoTime(), answers);
        gate.start();
    }

    @Benchmark
    @OperationsPerInvocation(CHANGES)
    public int change() {
        int split = 0;
        for (int rest = CHANGES; rest > 0; rest -= batch) {
            Batcher batcher = batchers[split];
            for (int i = 1; i < batch; i++) {
                batcher.change(null, CHANGE_BYTES);
            }
            batcher.change(new NumberPositions.Place(++places[split]), CHANGE_BYTES);
            pass(split, batcher.cut());
            split = split + 1 == splits ? 0 : split + 1;
        }
        return gate.batchesInFlight();
    }

    private void pass(int split, Batcher.Cut cut) {
        gate.tick(System.nanoTime());
        if (!gate.room() || !gate.tracked(1, split, cut.sequence(), cut.resume(), cut.changes(), cut.bytes())) {
            throw new IllegalStateException("a batch was refused");
        }
        if (cut.sequence() >= IN_FLIGHT) {
            gate.settled(1, split, cut.sequence() - IN_FLIGHT, cut.bytes());
        }
        if (answers.write != null) {
            confirm();
        }
    }

    private void confirm() {
        answers.write = null;
        gate.wrote(1);
        for (int i = 0; i < answers.acknowledged.size(); i++) {
            gate.acknowledged(1, answers.acknowledgedSplits.get(i), answers.acknowledged.get(i));
        }
        answers.acknowledged.clear();
        answers.acknowledgedSplits.clear();
    }

    /** Runs it, in a fresh JVM for each row. */
    public static void run(Report report, boolean quick) {
        report.progress("gate and batcher");
        int seconds = quick ? 1 : 3;
        var options = new OptionsBuilder()
                .include(GateBenchmark.class.getName())
                .forks(1)
                .warmupIterations(quick ? 1 : 3)
                .warmupTime(TimeValue.seconds(1))
                .measurementIterations(quick ? 1 : 5)
                .measurementTime(TimeValue.seconds(seconds))
                .addProfiler(GCProfiler.class)
                .verbosity(VerboseMode.SILENT)
                .shouldFailOnError(true);
        if (quick) {
            options.param("batch", "100");
        }
        Collection<RunResult> results;
        try {
            results = new Runner(options.build()).run();
        } catch (RunnerException e) {
            throw new IllegalStateException("the benchmark of the gate failed: " + e.getMessage(), e);
        }
        Table table = new Table(
                "Gate and batcher",
                List.of("batch (changes)", "splits", "time (ns/change)", "allocated (bytes/change)"));
        for (RunResult result : results) {
            table.row(
                    result.getParams().getParam("batch"),
                    result.getParams().getParam("splits"),
                    result.getPrimaryResult().getScore(),
                    allocated(result));
        }
        report.table(table);
    }

    private static double allocated(RunResult result) {
        for (String name : result.getSecondaryResults().keySet()) {
            if (name.endsWith("gc.alloc.rate.norm")) {
                return result.getSecondaryResults().get(name).getScore();
            }
        }
        throw new IllegalStateException("the profiler said nothing of " + result.getParams());
    }

    public static void main(String[] arguments) {
        run(new Report(System.out), arguments.length > 0 && arguments[0].equals("quick"));
    }
}
