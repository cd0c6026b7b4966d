package io.tidegate.simulation.life;

import io.tidegate.simulation.check.Arrivals;
import io.tidegate.simulation.data.SimRow;
import io.tidegate.simulation.sink.Bounds;
import io.tidegate.simulation.stage.Life;
import io.tidegate.simulation.stage.Stage;
import io.tidegate.spi.Batch;
import io.tidegate.spi.Change;
import io.tidegate.spi.ChangeEncoder;
import io.tidegate.spi.Disk;
import io.tidegate.spi.Finding;
import io.tidegate.spi.Sink;
import io.tidegate.spi.SinkContext;
import io.tidegate.spi.SinkSession;
import java.util.List;

/** The real file sink, with the checks told of what it takes and what it calls durable. */
final class WatchedFileSink implements Sink {

    private final Sink sink;
    private final Stage stage;
    private final Life process;
    private final Arrivals arrivals;

    WatchedFileSink(Sink sink, Stage stage, Life process, Arrivals arrivals) {
        this.sink = sink;
        this.stage = stage;
        this.process = process;
        this.arrivals = arrivals;
    }

    @Override
    public List<Finding> check() {
        return List.of();
    }

    @Override
    public SinkSession open(SinkContext context) {
        process.pass("sink open");
        Bounds bounds = new Bounds(stage, arrivals.held());
        int[] number = new int[1];
        SinkSession session = sink.open(new Watching(context, batch -> {
            bounds.durable(batch);
            for (Change change : batch.changes()) {
                SimRow key = (SimRow) change.keyRow();
                arrivals.landed(number[0], change, key == null ? -1 : key.key());
            }
        }));
        number[0] = arrivals.opens();
        return new Session(session, bounds);
    }

    private final class Session implements SinkSession {

        private final SinkSession session;
        private final Bounds bounds;

        Session(SinkSession session, Bounds bounds) {
            this.session = session;
            this.bounds = bounds;
        }

        @Override
        public void accept(Batch batch) throws InterruptedException {
            process.pass("accept");
            bounds.accepted(batch);
            session.accept(batch);
        }

        @Override
        public void flush() throws InterruptedException {
            process.pass("flush");
            session.flush();
        }

        @Override
        public void tend() throws InterruptedException {
            process.pass("sink tend");
            session.tend();
        }

        @Override
        public void abort() {
            session.abort();
        }

        @Override
        public void close() {
            session.close();
        }
    }

    private interface Durable {
        void batch(Batch batch);
    }

    /** Passes everything on. */
    private record Watching(SinkContext context, Durable told) implements SinkContext {

        @Override
        public String pipeline() {
            return context.pipeline();
        }

        @Override
        public String sourceSystem() {
            return context.sourceSystem();
        }

        @Override
        public Disk disk() {
            return context.disk();
        }

        @Override
        public ChangeEncoder encoder() {
            return context.encoder();
        }

        @Override
        public long nanoTime() {
            return context.nanoTime();
        }

        @Override
        public long epochMillis() {
            return context.epochMillis();
        }

        @Override
        public void nothingToDo(Change change) {
            context.nothingToDo(change);
        }

        @Override
        public void durable(Batch batch) {
            told.batch(batch);
            context.durable(batch);
        }
    }
}
