package io.tidegate.embed;

import io.tidegate.spi.Batch;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.RejectedException;
import io.tidegate.spi.SinkContext;
import io.tidegate.spi.SinkSession;
import io.tidegate.spi.TidegateException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Calls the handler for each batch; what it has returned from is durable. */
final class HandlerSession implements SinkSession {

    private final HandlerSink.Handling handling;
    private final SinkContext context;

    /** Guards {@link #inside}: an interrupt must hit the handler's call, never what the thread does afterwards. */
    private final Object call = new Object();

    private @Nullable Thread inside;
    private boolean aborted;

    /** A batch that was refused comes again as it is; what was handled of it before the refused change is not repeated. */
    private @Nullable Batch begun;

    private int handled;

    HandlerSession(HandlerSink.Handling handling, SinkContext context) {
        this.handling = handling;
        this.context = context;
    }

    @Override
    public void accept(Batch batch) throws InterruptedException {
        if (!batch.equals(begun)) {
            begun = batch;
            handled = 0;
        }
        List<DeliveredChange> changes = new ArrayList<>();
        for (int i = handled; i < batch.changes().size(); i++) {
            changes.add(new DeliveredChange(batch, i, context.encoder()));
        }
        if (!changes.isEmpty()) { // a batch can be a marker alone
            hand(List.copyOf(changes));
        }
        begun = null;
        context.durable(batch);
    }

    private void hand(List<DeliveredChange> changes) throws InterruptedException {
        enter();
        try {
            handling.handle(changes, () -> handled++);
        } catch (InterruptedException | RejectedException | TidegateException e) {
            throw e;
        } catch (Exception e) {
            throw new TidegateException(ErrorCode.SINK_FAILED, "the program's handler failed: " + e, e);
        } finally {
            leave();
        }
    }

    private void enter() throws InterruptedException {
        synchronized (call) {
            if (aborted) {
                throw new InterruptedException("the session is being ended");
            }
            inside = Thread.currentThread();
        }
    }

    private void leave() {
        synchronized (call) {
            inside = null;
            Thread.interrupted(); // an abort that the handler did not notice
        }
    }

    /** Nothing waits: each batch is durable when it is accepted. */
    @Override
    public void flush() {}

    @Override
    public void abort() {
        synchronized (call) {
            aborted = true;
            if (inside != null) {
                inside.interrupt();
            }
        }
    }

    @Override
    public void close() {}
}
