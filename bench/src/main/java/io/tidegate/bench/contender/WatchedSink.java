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
import java.util.function.Consumer;

/** A sink as it is, of which each batch is seen when it is durable. */
public final class WatchedSink implements Sink {

    private final Sink sink;
    private final Consumer<Batch> durable;

    /**
     * Watches a sink.
     *
     * @param durable told of each batch before the engine is, on the thread that the sink reports it from
     */
    public WatchedSink(Sink sink, Consumer<Batch> durable) {
        this.sink = sink;
        this.durable = durable;
    }

    @Override
    public List<Finding> check() {
        return sink.check();
    }

    @Override
    public List<Finding> check(Source source) {
        return sink.check(source);
    }

    @Override
    public SinkSession open(SinkContext context) {
        return sink.open(new WatchedContext(context, durable));
    }

    private record WatchedContext(SinkContext context, Consumer<Batch> seen) implements SinkContext {

        @Override
        public String pipeline() {
            return context.pipeline();
        }

        @Override
        public String sourceSystem() {
            return context.sourceSystem();
        }

        @Override
        public boolean sourceReadsFrom(Place place) {
            return context.sourceReadsFrom(place);
        }

        @Override
        public boolean sourceCaptures(String namespace, String table) {
            return context.sourceCaptures(namespace, table);
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
            seen.accept(batch);
            context.durable(batch);
        }
    }
}
