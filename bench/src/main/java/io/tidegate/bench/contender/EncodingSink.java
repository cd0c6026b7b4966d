package io.tidegate.bench.contender;

import io.tidegate.spi.Batch;
import io.tidegate.spi.ByteBuilder;
import io.tidegate.spi.Change;
import io.tidegate.spi.Finding;
import io.tidegate.spi.Sink;
import io.tidegate.spi.SinkContext;
import io.tidegate.spi.SinkSession;
import java.util.List;

/** Makes the bytes of each change and forgets them; what it has accepted is durable. */
final class EncodingSink implements Sink {

    private static final int BUFFER_BYTES = 1 << 20;

    @Override
    public List<Finding> check() {
        return List.of();
    }

    @Override
    public SinkSession open(SinkContext context) {
        return new Session(context);
    }

    private static final class Session implements SinkSession {

        private final SinkContext context;
        /** A value of any size goes by in pieces, as it does into a file. */
        private final ByteBuilder buffer = new ByteBuilder(BUFFER_BYTES, (from, offset, count) -> {});

        Session(SinkContext context) {
            this.context = context;
        }

        @Override
        public void accept(Batch batch) {
            for (Change change : batch.changes()) {
                buffer.clear();
                context.encoder().encode(change, buffer);
            }
            context.durable(batch);
        }

        @Override
        public void flush() {}

        @Override
        public void abort() {}

        @Override
        public void close() {}
    }
}
