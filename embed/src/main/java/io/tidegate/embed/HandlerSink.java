package io.tidegate.embed;

import io.tidegate.spi.Finding;
import io.tidegate.spi.Sink;
import io.tidegate.spi.SinkContext;
import io.tidegate.spi.SinkSession;
import java.util.List;

/** A sink that is a handler of the program's. */
final class HandlerSink implements Sink {

    private final Handling handling;

    HandlerSink(Handling handling) {
        this.handling = handling;
    }

    /** Hands changes to the program's handler. */
    interface Handling {
        /**
         * Hands over all changes from the first one on.
         *
         * @param progress is told of each change that need not be handed over again
         */
        void handle(List<DeliveredChange> changes, Progress progress) throws Exception;
    }

    /** Hears that one more change of the batch is durable. */
    interface Progress {
        void advance();
    }

    static HandlerSink eachChange(ChangeHandler handler) {
        return new HandlerSink((changes, progress) -> {
            for (DeliveredChange change : changes) {
                handler.handle(change);
                progress.advance();
            }
        });
    }

    static HandlerSink eachBatch(BatchHandler handler) {
        return new HandlerSink((changes, progress) -> handler.handle(changes));
    }

    @Override
    public List<Finding> check() {
        return List.of();
    }

    @Override
    public SinkSession open(SinkContext context) {
        return new HandlerSession(handling, context);
    }
}
