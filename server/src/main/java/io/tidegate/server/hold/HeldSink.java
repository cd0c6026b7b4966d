package io.tidegate.server.hold;

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

/** Passes {@link HoldPoint#SETTLING}. */
record HeldSink(Sink inner, Hold hold) implements Sink {

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
        return inner.open(new HeldContext(context, hold));
    }

    private record HeldContext(SinkContext inner, Hold hold) implements SinkContext {

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
            hold.pass(HoldPoint.SETTLING, batch.changes().size());
            inner.durable(batch);
        }
    }
}
