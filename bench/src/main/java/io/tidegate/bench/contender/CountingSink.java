package io.tidegate.bench.contender;

import io.tidegate.spi.Batch;
import io.tidegate.spi.ByteBuilder;
import io.tidegate.spi.Change;
import io.tidegate.spi.Finding;
import io.tidegate.spi.Sink;
import io.tidegate.spi.SinkContext;
import io.tidegate.spi.SinkSession;
import java.util.List;

/** Makes each change's bytes in the pipeline's format, counts them and lets them go. A batch is durable at once. */
public final class CountingSink implements Sink {

    private static final int LINE_BYTES = 1 << 16;

    private final Receiver receiver;
    private final boolean fromOpening;

    /**
     * Gives all to a receiver.
     *
     * @param fromOpening whether its clock begins when the sink is opened, before anything is read
     */
    public CountingSink(Receiver receiver, boolean fromOpening) {
        this.receiver = receiver;
        this.fromOpening = fromOpening;
    }

    @Override
    public List<Finding> check() {
        return List.of();
    }

    @Override
    public SinkSession open(SinkContext context) {
        if (fromOpening) {
            receiver.begin();
        }
        return new Session(receiver, context);
    }

    private static final class Session implements SinkSession {

        private final Receiver receiver;
        private final SinkContext context;
        private ByteBuilder line = new ByteBuilder(LINE_BYTES);

        Session(Receiver receiver, SinkContext context) {
            this.receiver = receiver;
            this.context = context;
        }

        @Override
        public void accept(Batch batch) {
            for (Change change : batch.changes()) {
                context.encoder().encode(change, line);
                receiver.take(line.array(), 0, line.length());
                line.clear();
            }
            if (line.array().length > 16 * LINE_BYTES) { // else the largest value ever would be held for good
                line = new ByteBuilder(LINE_BYTES);
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
