package io.tidegate.engine.session;

import io.tidegate.engine.env.Clock;
import io.tidegate.engine.env.Role;
import io.tidegate.engine.gate.GateWrite;
import io.tidegate.engine.store.StateStore;
import io.tidegate.spi.Replan;
import io.tidegate.spi.TidegateException;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Does what the store is asked, one request after the other, on the store's thread. It and its queue outlive sessions: a
 * session's last write ends before the next session reads (I2). Answers go to the mailbox of the request.
 */
public final class StoreRole implements Role {

    private static final System.Logger LOG = System.getLogger(StoreRole.class.getName());
    private static final long IDLE_NANOS_MAX = TimeUnit.SECONDS.toNanos(1);

    private sealed interface Request {}

    private record Read(Mailbox answerTo) implements Request {}

    private record Birth(Replan step, Mailbox answerTo) implements Request {}

    private record Progress(GateWrite write, Mailbox answerTo) implements Request {}

    private record Close() implements Request {}

    private final Supplier<StateStore> opener;
    private final Clock clock;
    private final ConcurrentLinkedQueue<Request> requests = new ConcurrentLinkedQueue<>();
    private volatile Runnable wake = () -> {};
    private volatile @Nullable OpenCall call;
    private @Nullable StateStore store;

    /** The store is opened by its own thread at the first request, and again if that failed. */
    public StoreRole(Supplier<StateStore> opener, Clock clock) {
        this.opener = opener;
        this.clock = clock;
    }

    public void wakeBy(Runnable wake) {
        this.wake = wake;
    }

    /** Reads what is durable after all requests before it have ended. */
    public void read(Mailbox answerTo) {
        request(new Read(answerTo));
    }

    /** Makes a step of a birth durable, and reads. */
    public void replan(Replan step, Mailbox answerTo) {
        request(new Birth(step, answerTo));
    }

    public void progress(GateWrite write, Mailbox answerTo) {
        request(new Progress(write, answerTo));
    }

    /** Ends the role after all requests before it. */
    public void close() {
        request(new Close());
    }

    void waits(List<Wait> waits) {
        OpenCall open = call;
        if (open != null) {
            waits.add(new Wait(Wait.Kind.STORE_CALL, open.since(), "the store's " + open.what() + " has not returned"));
        }
    }

    /** What it is busy with, for people; null with nothing. */
    @Nullable
    String busyWith() {
        OpenCall open = call;
        return open == null ? null : open.what();
    }

    private void request(Request request) {
        requests.add(request);
        wake.run();
    }

    @Override
    public Role.Step step() {
        Request request = requests.poll();
        if (request == null) {
            return Role.Step.IDLE;
        }
        call = new OpenCall(request instanceof Read ? "read" : "write", clock.nanoTime());
        try {
            return serve(request);
        } finally {
            call = null;
        }
    }

    private Role.Step serve(Request request) {
        if (request instanceof Read read) {
            answer(read.answerTo(), () -> new SessionEvent.Loaded(open().read()));
        } else if (request instanceof Birth step) {
            answer(step.answerTo(), () -> {
                open().replan(step.step());
                return new SessionEvent.Loaded(open().read());
            });
        } else if (request instanceof Progress progress) {
            answer(progress.answerTo(), () -> {
                open().progress(progress.write().planned(), progress.write().progress());
                return new SessionEvent.Wrote();
            });
        } else {
            closeStore();
            return Role.Step.ENDED;
        }
        return Role.Step.WORKED;
    }

    private void closeStore() {
        StateStore opened = store;
        try {
            if (opened != null) {
                opened.close();
            }
        } catch (RuntimeException e) { // everything that was confirmed is durable without it
            LOG.log(System.Logger.Level.WARNING, "the state store could not be closed: " + e.getMessage(), e);
        }
    }

    private StateStore open() {
        StateStore opened = store;
        if (opened == null) {
            store = opened = opener.get();
        }
        return opened;
    }

    private static void answer(Mailbox mailbox, Supplier<SessionEvent> work) {
        SessionEvent answer;
        try {
            answer = work.get();
        } catch (RuntimeException | Error e) {
            TidegateException failure = SessionRole.failure(e);
            answer = new SessionEvent.StoreFailed(failure);
        }
        mailbox.post(answer);
    }

    @Override
    public long idleNanosMax() {
        return IDLE_NANOS_MAX;
    }
}
