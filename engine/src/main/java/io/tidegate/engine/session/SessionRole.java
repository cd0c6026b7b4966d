package io.tidegate.engine.session;

import io.tidegate.engine.env.Role;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.TidegateException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A role that lives as long as its session. It is asked to close, gracefully or by abort; it then closes what it holds and
 * says so once. What its steps throw ends the session, unless the session is over anyway.
 */
abstract class SessionRole implements Role {

    private static final System.Logger LOG = System.getLogger(SessionRole.class.getName());
    private static final long IDLE_NANOS_MAX = TimeUnit.MILLISECONDS.toNanos(100);

    /** Where a role is in its life; each arrow goes down. */
    private enum Life {
        WORKING,
        CLOSING,
        ENDED
    }

    protected final Mailbox mailbox;
    private final String name;
    private final AtomicReference<Life> life = new AtomicReference<>(Life.WORKING);
    /** Nothing is to be waited for any more, be it that there is nothing yet that could be aborted. */
    private volatile boolean unblocked;

    /** Waits to be told to close: the session decides what closes first. Of the role's thread. */
    private boolean failed;

    SessionRole(String name, Mailbox mailbox) {
        this.name = name;
        this.mailbox = mailbox;
    }

    /** One bounded piece of work. */
    abstract Step work() throws InterruptedException;

    /** Closes what the role holds; on its own thread. */
    abstract void release();

    /** Makes a blocked call fail soon; any thread, and any number of times. */
    abstract void abortCalls();

    /** Does no more work, and closes. Any thread. */
    final void close() {
        life.compareAndSet(Life.WORKING, Life.CLOSING);
    }

    /** Makes what it waits for fail, and what it will wait for when it closes. Any thread. */
    final void unblock() {
        unblocked = true;
        quietly(System.Logger.Level.WARNING, "aborting", this::abortCalls);
    }

    /** Closes, and waits for nothing. Any thread. */
    final void abort() {
        close();
        unblock();
    }

    /** Whether nothing is to be waited for any more. Any thread. */
    final boolean unblocked() {
        return unblocked;
    }

    final boolean closing() {
        return life.get() != Life.WORKING;
    }

    /** Whether it does nothing any more, for good. */
    final boolean ended() {
        return life.get() == Life.ENDED;
    }

    final String name() {
        return name;
    }

    @Override
    public final Step step() {
        if (!closing() && failed) {
            return Step.IDLE;
        }
        if (!closing()) {
            try {
                Step step = work();
                if (step != Step.ENDED) {
                    return step;
                }
            } catch (Throwable e) {
                failed = true;
                fail(e);
                return Step.WORKED;
            }
        }
        close();
        if (unblocked) { // maybe when there was nothing to abort yet
            quietly(System.Logger.Level.WARNING, "aborting", this::abortCalls);
        }
        quietly(System.Logger.Level.DEBUG, "closing", this::release);
        life.set(Life.ENDED);
        mailbox.post(new SessionEvent.RoleEnded(this));
        return Step.ENDED;
    }

    /**
     * Without its end the session would never be over. What cannot be aborted may never end, and then somebody looks for the
     * reason.
     */
    private void quietly(System.Logger.Level level, String what, Runnable call) {
        try {
            call.run();
        } catch (Throwable e) {
            LOG.log(level, what + " " + name + " failed; the session is over anyway", e);
        }
    }

    @Override
    public long idleNanosMax() {
        return IDLE_NANOS_MAX;
    }

    private void fail(Throwable e) {
        if (closing()) { // a consequence of the close
            LOG.log(System.Logger.Level.DEBUG, name + " ended while its session did", e);
            return;
        }
        mailbox.post(new SessionEvent.Failed(failure(e)));
    }

    /** What is not a failure with a code is a fault in Tidegate, and trying again cannot mend it. */
    static TidegateException failure(Throwable e) {
        if (e instanceof TidegateException known) {
            return known;
        }
        @Nullable String message = e.getMessage();
        return new TidegateException(
                ErrorCode.INTERNAL, e.getClass().getSimpleName() + (message == null ? "" : ": " + message), e);
    }
}
