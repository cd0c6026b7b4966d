package io.tidegate.demo;

import io.tidegate.demo.compare.CommitOrder;
import io.tidegate.demo.compare.Comparison;
import io.tidegate.demo.compare.Delivery;
import io.tidegate.demo.compare.Verdict;
import io.tidegate.demo.process.EngineProcess;
import io.tidegate.demo.process.LineSink;
import io.tidegate.demo.shop.ShopDatabase;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.TidegateException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.function.Consumer;

/** Engines that are killed one after the other. What they deliver is passed on, and compared with the source at the end. */
final class KilledEngines implements Engines {

    private static final Duration FINAL_LIMIT = Duration.ofSeconds(60);
    private static final int MISSING = 1;

    private final PipelineFiles files;
    private final Path pipeline;
    private final ShopDatabase database;
    private final Consumer<Happening> happenings;
    private final Delivery delivery = new Delivery();
    private final LineSink lines;
    private CommitOrder order = new CommitOrder(Map.of());
    private long orderedUpTo;
    private EngineProcess engine;
    private int kills;

    private KilledEngines(PipelineFiles files, ShopDatabase database, OutputStream out, Consumer<Happening> happenings)
            throws IOException {
        this.files = files;
        this.pipeline = files.forKills();
        this.database = database;
        this.happenings = happenings;
        this.lines = new LineSink(delivery, out, () -> happenings.accept(new Happening.ReaderGone()));
        this.engine = process(pipeline, lines, happenings);
    }

    static KilledEngines start(
            PipelineFiles files, ShopDatabase database, OutputStream out, Consumer<Happening> happenings)
            throws IOException {
        return new KilledEngines(files, database, out, happenings);
    }

    @Override
    public Path pipeline() {
        return pipeline;
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // a process is itself
    public boolean isCurrent(EngineProcess other) {
        return other == engine;
    }

    @Override
    public void killAndStart() throws IOException, InterruptedException {
        engine.kill();
        kills++;
        learnOrder();
        engine = process(pipeline, lines, happenings);
    }

    @Override
    public boolean finishAfterSignal() {
        return true;
    }

    @Override
    public void ensureRunning() throws IOException {
        if (!engine.isAlive()) {
            engine = process(pipeline, lines, happenings);
        }
    }

    @Override
    public int finish(DemoRun.End end, long committed, Consumer<String> notices)
            throws IOException, InterruptedException {
        engine.stop();
        switch (end.why()) {
            case ENGINE_FAILED -> {
                return end.status();
            }
            case READER_GONE -> {
                notices.accept("stopped, as nobody reads the standard output any more; nothing was compared");
                return 0;
            }
            case TIME_IS_UP, SIGNAL -> {}
        }
        Verdict verdict = compare();
        notices.accept(verdict.text(kills));
        verdict.examples().forEach(example -> notices.accept("  " + example));
        return verdict.good() ? 0 : MISSING;
    }

    @Override
    public void close() {
        engine.close();
    }

    private Verdict compare() throws IOException, InterruptedException {
        learnOrder();
        Delivery finalTables = new Delivery();
        EngineProcess reader = process(
                files.forFinalTables(),
                new LineSink(finalTables, OutputStream.nullOutputStream(), () -> {}),
                happening -> {});
        int status = reader.awaitEnd(FINAL_LIMIT);
        if (status != 0) {
            throw new TidegateException(
                    ErrorCode.SOURCE_UNAVAILABLE,
                    "the final tables could not be read, so nothing was compared: exit status " + status,
                    "The reason stands above.",
                    null);
        }
        Comparison comparison = new Comparison(delivery, order);
        database.readLedger(comparison::committed);
        return comparison.verdict(finalTables, database.rowCounts());
    }

    /** Asks for the order of commits as soon as a snapshot's point is known: the server does not keep its log for ever. */
    private void learnOrder() {
        long point = delivery.highestPoint();
        if (point != orderedUpTo) {
            order = database.commitOrder(point);
            orderedUpTo = point;
        }
    }

    private static EngineProcess process(Path pipeline, LineSink lines, Consumer<Happening> happenings)
            throws IOException {
        EngineProcess started = EngineProcess.intoLines(
                EngineProcess.Command.run(pipeline, "off", "error"),
                lines,
                failure -> happenings.accept(new Happening.Failed(failure)));
        started.onEnd(status -> happenings.accept(new Happening.EngineEnded(started, status)));
        return started;
    }
}
