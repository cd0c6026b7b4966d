package io.tidegate.engine.session;

import io.tidegate.engine.env.Role;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.TidegateException;
import java.util.concurrent.TimeUnit;
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
    private volatile Life life = Life.WORKING;
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

    /** Makes a blocked call fail soon; any thread. */
    abstract void abortCalls();

    /** Does no more work, and closes. Any thread. */
    final void close() {
        if (life == Life.WORKING) {
            life = Life.CLOSING;
        }
    }

    /** Closes, and makes what it waits for fail. Any thread. */
    final void abort() {
        close();
        abortCalls();
    }

    final boolean closing() {
        return life != Life.WORKING;
    }

    final String name() {
        return name;
    }

    @Override
    public final Step step() {
        if (life == Life.WORKING && failed) {
            return Step.IDLE;
        }
        if (life == Life.WORKING) {
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
        life = Life.CLOSING;
        try {
            release();
        } catch (Throwable e) { // without its end the session would never be over
            LOG.log(System.Logger.Level.DEBUG, "closing " + name + " failed; the session is over anyway", e);
        }
        life = Life.ENDED;
        mailbox.post(new SessionEvent.RoleEnded(this));
        return Step.ENDED;
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
