package io.tidegate.engine.session;

import io.tidegate.engine.env.Clock;
import io.tidegate.engine.env.Environment;
import io.tidegate.engine.env.Threads;
import io.tidegate.spi.Checkpoint;
import io.tidegate.spi.Finding;
import io.tidegate.spi.Preparation;
import io.tidegate.spi.SnapshotProgress;
import io.tidegate.spi.Source;
import io.tidegate.spi.SourceContext;
import io.tidegate.spi.SourceSession;
import io.tidegate.spi.SplitPlan;
import io.tidegate.spi.SplitProgress;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Owns the source's session: connects, gets it ready step by step with what is durable, then tends it and delivers the
 * acknowledgements of splits that are not being read. Closed after all readers have ended.
 */
final class SourceRole extends SessionRole implements SourceContext {

    private static final long TEND_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long PAUSE_STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final String pipeline;
    private final Source source;
    private final Clock clock;
    private final Threads threads;
    private final SessionParts.Counters counters;

    private final AtomicReference<@Nullable Checkpoint> durable = new AtomicReference<>();
    private final Map<Integer, SplitProgress> due = new ConcurrentHashMap<>();
    private volatile Doing doing = new Doing("", 0);
    /** While it connects and prepares. */
    private volatile @Nullable OpenCall call;

    private volatile @Nullable SourceSession session;
    private boolean ready;
    private long tendAt;

    /** What the source said that it does, and since when it says so. */
    private record Doing(String what, long since) {}

    SourceRole(
            String pipeline, Source source, Environment environment, SessionParts.Counters counters, Mailbox mailbox) {
        super("source", mailbox);
        this.pipeline = pipeline;
        this.source = source;
        this.clock = environment.clock();
        this.threads = environment.threads();
        this.counters = counters;
    }

    // The pipeline's thread.

    /** This is durable now: go on preparing. */
    void prepare(Checkpoint checkpoint) {
        durable.set(checkpoint);
    }

    void acknowledge(int split, SplitProgress progress) {
        due.put(split, progress);
    }

    String whatItDoes() {
        return doing.what();
    }

    void waits(List<Wait> waits) {
        OpenCall open = call;
        Doing now = doing;
        if (open != null) {
            long since = Math.max(open.since(), now.since());
            waits.add(new Wait(Wait.Kind.SOURCE_READY, since, "the source is not ready: " + now.what()));
        }
    }

    /** After the source said that it is ready. */
    SourceSession session() {
        SourceSession open = session;
        if (open == null) {
            throw new IllegalStateException("the source is not open");
        }
        return open;
    }

    // The source's thread.

    @Override
    Step work() throws InterruptedException {
        SourceSession open = session;
        if (open == null) {
            doing("connecting to the source");
            call = new OpenCall("open", nanoTime());
            session = source.open(this);
            call = null;
            return Step.WORKED;
        }
        if (!ready) {
            return prepare(open);
        }
        confirm(open);
        if (nanoTime() >= tendAt) {
            List<SplitPlan> found = open.tend();
            if (!found.isEmpty()) {
                mailbox.post(new SessionEvent.Planned(found));
            }
            tendAt = nanoTime() + TEND_NANOS;
        }
        return Step.IDLE;
    }

    private Step prepare(SourceSession open) throws InterruptedException {
        Checkpoint checkpoint = durable.getAndSet(null);
        if (checkpoint == null) {
            return Step.IDLE;
        }
        doing("preparing the source");
        call = new OpenCall("prepare", nanoTime());
        Preparation preparation = open.prepare(checkpoint);
        call = null;
        if (preparation instanceof Preparation.Write write) {
            mailbox.post(new SessionEvent.StepDue(write.step()));
        } else if (preparation instanceof Preparation.Ready how) {
            ready = true;
            doing("");
            tendAt = nanoTime() + TEND_NANOS;
            mailbox.post(new SessionEvent.SourceReady(how));
        }
        return Step.WORKED;
    }

    private void confirm(SourceSession open) throws InterruptedException {
        for (Iterator<Map.Entry<Integer, SplitProgress>> i = due.entrySet().iterator(); i.hasNext(); ) {
            Map.Entry<Integer, SplitProgress> entry = i.next();
            SplitProgress progress = entry.getValue();
            if (open.acknowledge(progress) && due.remove(entry.getKey(), progress)) {
                mailbox.post(new SessionEvent.Acknowledged(entry.getKey(), progress));
            }
        }
    }

    @Override
    void release() {
        SourceSession open = session;
        if (open != null) {
            open.close();
        }
    }

    @Override
    void abortCalls() {
        SourceSession open = session;
        if (open != null) {
            open.abort();
        }
    }

    // The context, for the source.

    @Override
    public String pipeline() {
        return pipeline;
    }

    @Override
    public long nanoTime() {
        return clock.nanoTime();
    }

    @Override
    public void pause(Duration time) {
        long until = nanoTime() + time.toNanos();
        for (long left = time.toNanos(); left > 0 && !closing() && !unblocked(); left = until - nanoTime()) {
            threads.pause(Math.min(left, PAUSE_STEP_NANOS));
        }
    }

    @Override
    public void measured(String name, double value) {
        counters.measures().put(name, value);
    }

    @Override
    public void snapshot(List<SnapshotProgress> tables) {
        counters.snapshot().set(List.copyOf(tables));
    }

    @Override
    public void problems(List<Finding> standing) {
        counters.problems().set(List.copyOf(standing));
    }

    @Override
    public void doing(String what) {
        if (!what.equals(doing.what())) {
            doing = new Doing(what, nanoTime());
        }
    }
}
