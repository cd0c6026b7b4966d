package io.tidegate.bench.contender;

import io.tidegate.spi.Batch;
import io.tidegate.spi.Finding;
import io.tidegate.spi.Sink;
import io.tidegate.spi.SinkContext;
import io.tidegate.spi.SinkSession;
import io.tidegate.spi.Source;
import java.util.List;

/**
 * A sink that can be held up before it accepts a batch.
 *
 * @param before called with each batch on the sink's thread; may take as long as it likes
 */
record StoppingSink(Sink inner, Before before) implements Sink {

    /** What comes before a batch is accepted. */
    interface Before {
        void accepting(Batch batch) throws InterruptedException;
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
        return new StoppingSession(inner.open(context), before);
    }

    private record StoppingSession(SinkSession inner, Before before) implements SinkSession {

        @Override
        public void accept(Batch batch) throws InterruptedException {
            before.accepting(batch);
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
}
