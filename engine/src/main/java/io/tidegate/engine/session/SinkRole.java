package io.tidegate.engine.session;

import io.tidegate.engine.env.Clock;
import io.tidegate.spi.Batch;
import io.tidegate.spi.Change;
import io.tidegate.spi.ChangeEncoder;
import io.tidegate.spi.Disk;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.Place;
import io.tidegate.spi.RejectedException;
import io.tidegate.spi.Sink;
import io.tidegate.spi.SinkContext;
import io.tidegate.spi.SinkSession;
import io.tidegate.spi.Source;
import io.tidegate.spi.TidegateException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Writes batches in the order in which the gate tracked them. Takes all that wait, up to a limit, before it makes them
 * durable by one flush. A refused change is offered again in place, with back-off, and everything after it waits (I11).
 */
final class SinkRole extends SessionRole implements SinkContext {

    private static final int UNFLUSHED_BATCHES_MAX = 64;
    private static final long UNFLUSHED_BYTES_MAX = 16L << 20;
    private static final long TEND_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Parts parts;

    private final ConcurrentLinkedQueue<Handed> inbox = new ConcurrentLinkedQueue<>();
    /** Accepted batches whose end the sink has not reported; any thread removes. */
    private final Set<Batch> accepted = ConcurrentHashMap.newKeySet();
    /** The same in order, with some that ended; of the sink's thread. */
    private final Deque<Handed> inOrder = new ArrayDeque<>();
    /** Batches that are handed over again after a refusal, before any of the inbox. */
    private final Deque<Handed> again = new ArrayDeque<>();

    private volatile @Nullable SinkSession session;
    private int unflushedBatches;
    private long unflushedBytes;
    private long tendAt;
    private final Backoff refusalWait;
    /** The batch that the waits grow with. */
    private @Nullable Batch lastRefused;

    private long refusedUntil = Long.MIN_VALUE;
    /** For others to see that it does not end. */
    private volatile @Nullable OpenCall call;
    /** When a batch was last accepted, or a flush ended. */
    private volatile long returnedAt;
    /** The change that is offered again and again; null if none is. */
    private volatile @Nullable Refusal refusal;

    /** What is first in {@link #again} was refused, and not accepted since. */
    private boolean refused;

    private volatile boolean blocked;
    private volatile boolean quiet;

    /** What a sink's role is made of. */
    record Parts(
            String pipeline,
            Sink sink,
            ChangeEncoder encoder,
            Disk disk,
            Clock clock,
            boolean retryRejects,
            Backoff refusalWait,
            Source source,
            SessionParts.Counters counters) {}

    /** A change that was refused so often since then, without another one between. */
    private record Refusal(String what, long since, int times) {}

    /** A batch, and what is told when the sink begins to write it. */
    record Handed(Batch batch, ReaderRole reader) {}

    SinkRole(Parts parts, Mailbox mailbox) {
        super("sink", mailbox);
        this.parts = parts;
        this.refusalWait = parts.refusalWait();
    }

    // The pipeline's thread.

    /** Hands a tracked batch over. Never refuses: what is in flight is bounded by the gate. */
    void hand(Batch batch, ReaderRole reader) {
        inbox.add(new Handed(batch, reader));
    }

    /** Offers nothing again. */
    void quiesce() {
        quiet = true;
    }

    /** Whether all that is left waits behind a refused change: a stop does not wait for it. */
    boolean blockedByRefusal() {
        return blocked;
    }

    /**
     * What it waits for.
     *
     * @param movedAt when it last made something durable, or was given something after it had nothing
     */
    void waits(List<Wait> waits, int batchesInFlight, long movedAt) {
        OpenCall open = call;
        Refusal again = refusal;
        if (again != null) {
            waits.add(
                    new Wait(Wait.Kind.REFUSAL, again.since(), again.what() + "; offered " + again.times() + " times"));
        }
        if (open != null) {
            long since = Math.max(open.since(), movedAt);
            waits.add(new Wait(Wait.Kind.SINK_CALL, since, "the sink's " + open.what() + " has not returned"));
        } else if (again == null && batchesInFlight > 0) {
            long since = Math.max(returnedAt, movedAt);
            waits.add(new Wait(Wait.Kind.SINK_DURABLE, since, "the sink took batches and reports none durable"));
        }
    }

    /** The call under way, for people; null if none is. */
    @Nullable
    String busyWith() {
        OpenCall open = call;
        return open == null ? null : open.what();
    }

    // The sink's thread.

    @Override
    Step work() throws InterruptedException {
        SinkSession open = session;
        if (open == null) {
            session = timed("open", () -> parts.sink().open(this));
            tendAt = nanoTime() + TEND_NANOS;
            mailbox.post(new SessionEvent.SinkReady());
            return Step.WORKED;
        }
        try {
            return write(open);
        } catch (RejectedException e) {
            refuse(e);
            return Step.WORKED; // what was accepted before the refused batch is not kept waiting
        }
    }

    private Step write(SinkSession open) throws InterruptedException {
        Handed next = next();
        if (next != null) {
            accept(open, next);
        }
        if (unflushedBatches > 0 && (next == null || enough())) {
            flush(open);
            return Step.WORKED;
        }
        if (next != null) {
            return Step.WORKED;
        }
        if (refused && !blocked) {
            blocked = true;
            mailbox.nudge();
        }
        if (nanoTime() >= tendAt) {
            timed("tend", () -> {
                open.tend();
                return open;
            });
            tendAt = nanoTime() + TEND_NANOS;
        }
        return Step.IDLE;
    }

    private @Nullable Handed next() {
        if (refused && (quiet || nanoTime() < refusedUntil)) {
            return null;
        }
        return again.isEmpty() ? inbox.poll() : again.poll();
    }

    private void accept(SinkSession open, Handed next) throws InterruptedException {
        next.reader().sinkTook();
        accepted.add(next.batch());
        inOrder.add(next);
        timed("accept", () -> {
            open.accept(next.batch());
            return open;
        });
        returnedAt = nanoTime();
        refused = false;
        blocked = false;
        unflushedBatches++;
        unflushedBytes += next.batch().bytes();
    }

    private boolean enough() {
        return unflushedBatches >= UNFLUSHED_BATCHES_MAX || unflushedBytes >= UNFLUSHED_BYTES_MAX;
    }

    private void flush(SinkSession open) throws InterruptedException {
        timed("flush", () -> {
            open.flush();
            return open;
        });
        returnedAt = nanoTime();
        unflushedBatches = 0;
        unflushedBytes = 0;
        if (!refused) {
            lastRefused = null;
            refusal = null;
        }
        inOrder.removeIf(handed -> !accepted.contains(handed.batch()));
    }

    /** Everything from the refused batch on is handed over again, in order. */
    private void refuse(RejectedException e) {
        parts.counters().rejected().incrementAndGet();
        Change change = e.batch().changes().get(e.index());
        String what = "the sink refuses a change (" + change.op().name().toLowerCase(Locale.ROOT) + " of "
                + change.table().display() + " at " + change.origin().position() + "): " + e.reason();
        if (!parts.retryRejects()) {
            throw new TidegateException(ErrorCode.REJECTED, what, e);
        }
        if (!accepted.contains(e.batch())) {
            throw new TidegateException(ErrorCode.INTERNAL, "the sink refused a batch that it does not hold", e);
        }
        List<Handed> repeated = new ArrayList<>();
        boolean from = false;
        for (Handed handed : inOrder) {
            from |= handed.batch().equals(e.batch());
            if (from && accepted.remove(handed.batch())) {
                repeated.add(handed);
            }
        }
        inOrder.removeIf(handed -> !accepted.contains(handed.batch()));
        for (int i = repeated.size() - 1; i >= 0; i--) {
            repeated.get(i).reader().sinkGaveBack();
            again.addFirst(repeated.get(i));
        }
        unflushedBatches = 0;
        unflushedBytes = 0;
        for (Handed handed : inOrder) {
            unflushedBatches++;
            unflushedBytes += handed.batch().bytes();
        }
        Refusal before = refusal;
        if (before == null || !e.batch().equals(lastRefused)) {
            lastRefused = e.batch();
            refusalWait.reset();
            refusal = new Refusal(what, nanoTime(), 1);
        } else {
            refusal = new Refusal(what, before.since(), before.times() + 1);
        }
        long wait = refusalWait.next();
        refusedUntil = nanoTime() + wait;
        refused = true;
        mailbox.post(new SessionEvent.Refused(new TidegateException(
                ErrorCode.REJECTED,
                what + "; it is offered again in " + TimeUnit.NANOSECONDS.toMillis(wait)
                        + " ms and blocks what follows",
                e)));
    }

    private interface Call {
        SinkSession run() throws InterruptedException;
    }

    private SinkSession timed(String what, Call work) throws InterruptedException {
        call = new OpenCall(what, nanoTime());
        try {
            return work.run();
        } finally {
            call = null;
        }
    }

    @Override
    void release() {
        SinkSession open = session;
        if (open != null) {
            open.close();
        }
    }

    @Override
    void abortCalls() {
        SinkSession open = session;
        if (open != null) {
            open.abort();
        }
    }

    // The context, for the sink.

    @Override
    public String pipeline() {
        return parts.pipeline();
    }

    @Override
    public String sourceSystem() {
        return parts.source().system();
    }

    @Override
    public boolean sourceReadsFrom(Place place) {
        return parts.source().readsFrom(place);
    }

    @Override
    public boolean sourceCaptures(String namespace, String table) {
        return parts.source().captures(namespace, table);
    }

    @Override
    public void nothingToDo(Change change) {
        parts.counters().nothingToDo().incrementAndGet();
    }

    @Override
    public Disk disk() {
        return parts.disk();
    }

    @Override
    public ChangeEncoder encoder() {
        return parts.encoder();
    }

    @Override
    public long nanoTime() {
        return parts.clock().nanoTime();
    }

    @Override
    public long epochMillis() {
        return parts.clock().epochMillis();
    }

    @Override
    public void durable(Batch batch) {
        if (accepted.remove(batch)) {
            mailbox.post(new SessionEvent.Settled(batch));
        } else if (!closing()) {
            mailbox.post(new SessionEvent.Failed(new TidegateException(
                    ErrorCode.INTERNAL, "I1: the sink reported a batch that it does not hold, or twice")));
        }
    }
}
