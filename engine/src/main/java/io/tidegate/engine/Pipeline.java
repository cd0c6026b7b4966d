package io.tidegate.engine;

import io.tidegate.engine.env.Environment;
import io.tidegate.engine.env.Role;
import io.tidegate.engine.env.Threads;
import io.tidegate.engine.gate.GateEnd;
import io.tidegate.engine.session.Backoff;
import io.tidegate.engine.session.Mailbox;
import io.tidegate.engine.session.Session;
import io.tidegate.engine.session.SessionParts;
import io.tidegate.engine.session.SessionPhase;
import io.tidegate.engine.session.StoreRole;
import io.tidegate.engine.store.StateStore;
import io.tidegate.spi.ChangeEncoder;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.Sink;
import io.tidegate.spi.Source;
import io.tidegate.spi.TidegateException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One source, one sink, one state store, and the supervision of their sessions: a session that failed comes back after a
 * back-off, unless trying again cannot mend it. Several pipelines of a process share nothing (I14). Its public methods may
 * be called by any thread and never block, but {@link #await}.
 */
public final class Pipeline {

    private static final System.Logger LOG = System.getLogger(Pipeline.class.getName());

    /** After the stop timeout, for what is under way to end. */
    private static final long STOP_GRACE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final Definition definition;
    private final Supervisor supervisor;
    private final Threads.Running[] thread = new Threads.Running[1];
    private volatile boolean stopAsked;
    private volatile PipelineStatus status;
    private volatile @Nullable Outcome outcome;

    /** What a pipeline is made of. The store is opened on its own thread, and again if that fails. */
    public record Definition(
            String name,
            Source source,
            Sink sink,
            Supplier<ChangeEncoder> encoder,
            PipelineOptions options,
            Supplier<StateStore> store) {}

    /**
     * How a pipeline ended.
     *
     * @param state one of those that {@link PipelineStatus.State#ended} names
     * @param failure why, if it failed
     */
    public record Outcome(
            PipelineStatus.State state, @Nullable TidegateException failure) {
        /** The exit status that this end deserves. */
        public int exitStatus() {
            return failure == null ? 0 : failure.code().exitStatus();
        }
    }

    public Pipeline(Definition definition, Environment environment) {
        this.definition = definition;
        this.supervisor = new Supervisor(environment);
        this.status = PipelineStatus.starting(definition.name(), supervisor.wallTime());
    }

    /** Starts. Once. */
    public synchronized void start() {
        if (thread[0] != null) {
            throw new IllegalStateException("pipeline " + definition.name() + " was started already");
        }
        thread[0] = supervisor.environment.threads().start("tidegate " + definition.name(), supervisor);
    }

    /** Stops reading, drains, persists, acknowledges, closes; within the stop timeout (I12). */
    public void stop() {
        stopAsked = true;
        wake();
    }

    /** Waits for the end. Returns null if it has not come by then. */
    public @Nullable Outcome await(Duration limit) throws InterruptedException {
        Threads.Running running = started();
        return running != null && running.await(limit.toNanos()) ? outcome : null;
    }

    /** How it ended; null while it runs. */
    public @Nullable Outcome outcome() {
        return outcome;
    }

    public PipelineStatus status() {
        return status;
    }

    public String name() {
        return definition.name();
    }

    private synchronized Threads.@Nullable Running started() {
        return thread[0];
    }

    private void wake() {
        Threads.Running running = started();
        if (running != null) {
            running.wake();
        }
    }

    /** Where supervision is; it ends in CLOSING, then ENDED. */
    private enum Phase {
        SESSION,
        BACKING_OFF,
        CLOSING,
        ENDED
    }

    /** The pipeline's thread: steps the session, and judges what follows its end. */
    private final class Supervisor implements Role {

        private static final long IDLE_NANOS_MAX = 100_000_000;
        private static final long PUBLISH_NANOS = 200_000_000;

        final Environment environment;
        private final StoreRole store;
        private final SessionParts.Counters counters;
        private final Backoff backoff;
        private boolean againBefore;
        private Threads.@Nullable Running storeThread;
        private Phase phase = Phase.BACKING_OFF;
        private @Nullable Session session;
        private int sessions;
        private long resumeAt;
        private long stopBy = Long.MAX_VALUE;
        private Outcome end = new Outcome(PipelineStatus.State.STOPPED, null);
        private final ErrorLog errors = new ErrorLog();
        private final Attempts attempts = new Attempts();
        private final StatusLog log = new StatusLog();
        private final StatusReport report;
        private @Nullable TidegateException lastTrouble;
        private long publishedAt;

        Supervisor(Environment environment) {
            this.environment = environment;
            store = new StoreRole(definition.store(), environment.clock());
            counters = new SessionParts.Counters();
            report = new StatusReport(definition.name(), definition.source().positions(), counters);
            backoff = new Backoff(
                    definition.options().retryInitial(), definition.options().retryMax(), environment.random());
            resumeAt = environment.clock().nanoTime();
        }

        @Override
        public Step step() {
            try {
                return supervise();
            } catch (RuntimeException | Error e) {
                return broken(e);
            }
        }

        /** A fault in the engine ends the pipeline as a kill does, and is seen. */
        private Step broken(Throwable e) {
            TidegateException failure =
                    new TidegateException(ErrorCode.INTERNAL, "the pipeline's own thread failed: " + e, e);
            LOG.log(System.Logger.Level.ERROR, definition.name() + ": " + failure.describe(), e);
            Session abandoned = session;
            session = null;
            if (abandoned != null) {
                abandoned.abandon();
            }
            note(failure);
            close(new Outcome(PipelineStatus.State.FAILED, failure));
            return Step.WORKED;
        }

        private Step supervise() {
            if (storeThread == null) {
                storeThread = environment.threads().start("tidegate " + definition.name() + " store", store);
                store.wakeBy(storeThread::wake);
            }
            Phase before = phase;
            boolean worked = advance();
            long now = now();
            if (phase != before || now - publishedAt >= PUBLISH_NANOS) {
                publishedAt = now;
                publish();
            }
            if (phase == Phase.ENDED) {
                return Step.ENDED;
            }
            return worked ? Step.WORKED : Step.IDLE;
        }

        private boolean advance() {
            if (stopAsked && stopBy == Long.MAX_VALUE) {
                stopBy = now() + definition.options().stopTimeout().toNanos() + STOP_GRACE_NANOS;
                if (session != null) {
                    session.stop();
                }
            }
            return switch (phase) {
                case SESSION -> stepSession();
                case BACKING_OFF -> waitForNext();
                case CLOSING -> waitForStore();
                case ENDED -> false;
            };
        }

        private boolean waitForNext() {
            if (stopAsked) {
                close(new Outcome(PipelineStatus.State.STOPPED, null));
                return true;
            }
            if (now() < resumeAt) {
                return false;
            }
            sessions++;
            session = new Session(
                    sessions,
                    new SessionParts(
                            definition.name(),
                            definition.source(),
                            definition.sink(),
                            definition.encoder().get(),
                            definition.options(),
                            environment,
                            store,
                            counters),
                    new Mailbox(Pipeline.this::wake));
            phase = Phase.SESSION;
            return true;
        }

        private boolean stepSession() {
            Session current = session;
            if (current == null) {
                throw new IllegalStateException("no session");
            }
            boolean worked = current.step();
            noteTrouble(current.trouble());
            if (current.phase() == SessionPhase.ENDED) {
                judge(current);
                return true;
            }
            if (now() >= stopBy) { // I12: as after a kill, what is missing is delivered again
                LOG.log(
                        System.Logger.Level.WARNING,
                        "{0}: the stop took longer than stop_timeout; what was under way is delivered again",
                        definition.name());
                current.abandon();
                close(new Outcome(PipelineStatus.State.STOPPED, null));
                return true;
            }
            return worked;
        }

        /** What follows a session's end. */
        private void judge(Session over) {
            session = null;
            TidegateException failure = over.failure();
            lookAt(over);
            if (stopAsked || failure == null) {
                boolean completed = over.how() == GateEnd.STOPPED && over.completed();
                close(new Outcome(completed ? PipelineStatus.State.COMPLETED : PipelineStatus.State.STOPPED, null));
                return;
            }
            if (over.gate() != null && over.flow().persistedAnything()) {
                backoff.reset();
                againBefore = false;
            }
            switch (failure.code().outcome()) {
                case RETRY -> backOff(failure);
                case AGAIN -> {
                    attempts.failed(String.valueOf(failure.getMessage()), now());
                    LOG.log(System.Logger.Level.INFO, "{0}: {1}", definition.name(), failure.getMessage());
                    // at once; but a source that says so again and again must not spin
                    resumeAt = now() + (againBefore ? backoff.next() : 0);
                    againBefore = true;
                    phase = Phase.BACKING_OFF;
                }
                case STOP -> {
                    LOG.log(System.Logger.Level.INFO, "{0}: {1}", definition.name(), failure.getMessage());
                    close(new Outcome(PipelineStatus.State.STOPPED, null));
                }
                // a session that ends with what is only to be shown is a fault, and nothing else mends it
                case HALT, SHOWN -> {
                    note(failure);
                    LOG.log(System.Logger.Level.DEBUG, definition.name() + " failed", failure);
                    close(new Outcome(PipelineStatus.State.FAILED, failure));
                }
            }
        }

        private void backOff(TidegateException failure) {
            attempts.failed(failure.describe(), now());
            long wait = backoff.next();
            resumeAt = now() + wait;
            note(failure);
            LOG.log(
                    System.Logger.Level.WARNING,
                    "{0}: {1} Next attempt in {2} ms.",
                    definition.name(),
                    failure.describe(),
                    TimeUnit.NANOSECONDS.toMillis(wait));
            LOG.log(System.Logger.Level.DEBUG, definition.name() + " failed", failure);
            phase = Phase.BACKING_OFF;
        }

        private void close(Outcome how) {
            end = how;
            attempts.over();
            store.close();
            phase = Phase.CLOSING;
        }

        private boolean waitForStore() {
            if (storeThread != null && !storeThread.ended() && now() < stopBy) {
                return false;
            }
            outcome = end;
            phase = Phase.ENDED;
            return true;
        }

        private void noteTrouble(@Nullable TidegateException trouble) {
            if (trouble != null && trouble != lastTrouble) {
                lastTrouble = trouble;
                note(trouble);
                LOG.log(System.Logger.Level.WARNING, "{0}: {1}", definition.name(), trouble.describe());
            }
        }

        private void note(TidegateException failure) {
            errors.add(failure, wallTime());
        }

        private Instant wallTime() {
            return Instant.ofEpochMilli(environment.clock().epochMillis());
        }

        private void lookAt(Session current) {
            if (current.gate() != null && current.phase() != SessionPhase.DRAINING) {
                attempts.reads(current.flow().advances(), current.flow().beganAt(), now());
            }
        }

        private void publish() {
            Session current = session;
            if (current != null) {
                lookAt(current);
            }
            Instant at = wallTime();
            long now = now();
            status = report.of(current, new StatusReport.Outside(between(), sessions, attempts, errors, at, now));
            log.look(status, now);
        }

        /** The state while there is no session. */
        private PipelineStatus.State between() {
            return switch (phase) {
                case SESSION, CLOSING -> PipelineStatus.State.DRAINING;
                case BACKING_OFF -> PipelineStatus.State.BACKING_OFF;
                case ENDED -> end.state();
            };
        }

        private long now() {
            return environment.clock().nanoTime();
        }

        @Override
        public long idleNanosMax() {
            Session current = session;
            long until = current != null ? current.deadline() : phase == Phase.BACKING_OFF ? resumeAt : Long.MAX_VALUE;
            return until == Long.MAX_VALUE ? IDLE_NANOS_MAX : Math.max(0, Math.min(IDLE_NANOS_MAX, until - now()));
        }
    }
}
