package io.tidegate.bench.contender;

import io.tidegate.spi.Batch;
import io.tidegate.spi.Change;
import io.tidegate.spi.ChangeEncoder;
import io.tidegate.spi.Disk;
import io.tidegate.spi.Finding;
import io.tidegate.spi.Place;
import io.tidegate.spi.Sink;
import io.tidegate.spi.SinkContext;
import io.tidegate.spi.SinkSession;
import io.tidegate.spi.Source;
import java.util.List;

/** A sink, and somebody who sees what it is given and what it has made durable. */
record WatchedSink(Sink inner, Watcher watcher) implements Sink {

    /** Called on the sink's thread. */
    interface Watcher {
        /** A batch is about to be accepted; this call may take as long as it likes. */
        void accepting(Batch batch) throws InterruptedException;

        /** The sink has just said that a batch is durable; the engine does not know yet. */
        void durable(Batch batch);
    }

    @Override
    public List<Finding> check() {
        return inner.check();
    }

    @Override
    public List<Finding> check(Source source) {
        return inner.check(source);
    }

    @Override
    public SinkSession open(SinkContext context) {
        return new WatchedSession(inner.open(new WatchedContext(context, watcher)), watcher);
    }

    private record WatchedSession(SinkSession inner, Watcher watcher) implements SinkSession {

        @Override
        public void accept(Batch batch) throws InterruptedException {
            watcher.accepting(batch);
            inner.accept(batch);
        }

        @Override
        public void flush() throws InterruptedException {
            inner.flush();
        }

        @Override
        public void tend() throws InterruptedException {
            inner.tend();
        }

        @Override
        public void abort() {
            inner.abort();
        }

        @Override
        public void close() {
            inner.close();
        }
    }

    private record WatchedContext(SinkContext inner, Watcher watcher) implements SinkContext {

        @Override
        public String pipeline() {
            return inner.pipeline();
        }

        @Override
        public String sourceSystem() {
            return inner.sourceSystem();
        }

        @Override
        public boolean sourceReadsFrom(Place place) {
            return inner.sourceReadsFrom(place);
        }

        @Override
        public boolean sourceCaptures(String namespace, String table) {
            return inner.sourceCaptures(namespace, table);
        }

        @Override
        public Disk disk() {
            return inner.disk();
        }

        @Override
        public ChangeEncoder encoder() {
            return inner.encoder();
        }

        @Override
        public long nanoTime() {
            return inner.nanoTime();
        }

        @Override
        public long epochMillis() {
            return inner.epochMillis();
        }

        @Override
        public void nothingToDo(Change change) {
            inner.nothingToDo(change);
        }

        @Override
        public void durable(Batch batch) {
            watcher.durable(batch);
            inner.durable(batch);
        }
    }
}
