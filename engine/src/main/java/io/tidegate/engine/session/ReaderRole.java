package io.tidegate.engine.session;

import io.tidegate.engine.gate.Batcher;
import io.tidegate.spi.Batch;
import io.tidegate.spi.Change;
import io.tidegate.spi.ChangeOutput;
import io.tidegate.spi.Check;
import io.tidegate.spi.Position;
import io.tidegate.spi.SourceSession;
import io.tidegate.spi.SplitPlan;
import io.tidegate.spi.SplitProgress;
import io.tidegate.spi.SplitReader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Reads one split: polls, cuts batches into a bounded queue that the pipeline's thread empties while the gate has room, and
 * delivers acknowledgements. While the queue is full it keeps the connection alive instead of polling.
 *
 * <p>A batch is cut when it is full, or when the reader is dry and the sink has no batch of this split waiting: so latency
 * needs no timer, and a slow sink gets large batches.
 */
final class ReaderRole extends SessionRole implements ChangeOutput {

    private static final int QUEUE_ITEMS_MAX = 16;
    /** A marker, a batch, the finish and a few finds always fit behind each other. */
    private static final int QUEUE_ITEMS_RESERVED = 6;
    /** A reader that paused is not woken for each free place: it would wake and pause again for each batch. */
    private static final int QUEUE_ITEMS_LOW = 5;

    private static final Duration WAIT = Duration.ofMillis(100);
    /** While rows wait for the sink to be free. */
    private static final Duration WAIT_WITH_ROWS = Duration.ofMillis(1);

    /** What the pipeline's thread takes, in this order. */
    sealed interface Item {}

    record Cut(Batch batch, @Nullable Position resume) implements Item {}

    record Marked(Position position) implements Item {}

    record Found(List<SplitPlan> plans) implements Item {}

    record Finish() implements Item {}

    private final int split;
    private final SplitPlan plan;
    private final @Nullable Position from;
    private final SourceSession source;
    private final BatchLimits limits;

    private final ConcurrentLinkedQueue<Item> queue = new ConcurrentLinkedQueue<>();
    /** Items in the queue, or a moment more: asked for each change, so it costs a read and no lock. */
    private final AtomicInteger queued = new AtomicInteger();
    /** Batches of this split that were cut, and that the sink has not begun to write. */
    private final AtomicInteger waiting = new AtomicInteger();

    private final AtomicReference<@Nullable SplitProgress> due = new AtomicReference<>();
    private volatile boolean quiet;
    private volatile @Nullable SplitReader reader;

    private final Batcher batcher = new Batcher();
    private List<Change> changes = new ArrayList<>();
    private @Nullable Position marked;

    /**
     * When a batch is full, and when nothing more may be read.
     *
     * @param held bytes that all readers of the session cut and that are not settled, queued ones included
     * @param heldMax from here on nothing more is read (I15)
     */
    record BatchLimits(int changes, long bytes, AtomicLong held, long heldMax) {}

    ReaderRole(
            int split,
            SplitPlan plan,
            @Nullable Position from,
            SourceSession source,
            BatchLimits limits,
            Mailbox mailbox) {
        super("reader of " + plan.id(), mailbox);
        this.split = split;
        this.plan = plan;
        this.from = from;
        this.source = source;
        this.limits = limits;
    }

    int split() {
        return split;
    }

    // The pipeline's thread.

    @Nullable
    Item peek() {
        return queue.peek();
    }

    void taken() {
        queue.remove();
        queued.decrementAndGet();
    }

    /** Whether so much was taken that it is worth a pause's end. */
    boolean low() {
        return queued.get() <= QUEUE_ITEMS_LOW;
    }

    /** The newest record that the source has to be told of; it replaces an older one. */
    void acknowledge(SplitProgress durable) {
        due.set(durable);
    }

    /** What was not acknowledged when the reader ended. */
    @Nullable
    SplitProgress acknowledgementLeft() {
        return due.get();
    }

    /** Whether the source has opened the split. */
    boolean opened() {
        return reader != null;
    }

    /** Whether it reads something that ends, and that gives rows until then; a log may have nothing to give. */
    boolean ofSnapshot() {
        return plan.start() == null && plan.lineage().isEmpty();
    }

    String splitId() {
        return plan.id();
    }

    /** Reads nothing more; stays for acknowledgements. */
    void quiesce() {
        quiet = true;
    }

    // The sink's thread.

    /** The sink has begun to write a batch of this split. */
    void sinkTook() {
        waiting.decrementAndGet();
    }

    /** The sink will be offered a batch of this split again. */
    void sinkGaveBack() {
        waiting.incrementAndGet();
    }

    // The reader's thread.

    @Override
    Step work() throws InterruptedException {
        SplitReader open = reader;
        if (open == null) {
            reader = source.open(plan, from);
            return Step.WORKED;
        }
        confirm(open);
        if (quiet || full()) {
            open.idle();
            return Step.IDLE;
        }
        SplitReader.State state = open.poll(this, batcher.isEmpty() ? WAIT : WAIT_WITH_ROWS);
        if (state == SplitReader.State.FINISHED) {
            cut();
            put(new Finish());
            return Step.ENDED;
        }
        if (batcher.isEmpty()) {
            mark();
        } else if ((state == SplitReader.State.DRY && waiting.get() == 0) || (batchFull() && !full())) {
            cut();
        }
        return Step.WORKED;
    }

    private void confirm(SplitReader open) throws InterruptedException {
        SplitProgress durable = due.get();
        if (durable != null && open.acknowledge(durable) && due.compareAndSet(durable, null)) {
            mailbox.post(new SessionEvent.Acknowledged(split, durable));
        }
    }

    @Override
    public void change(Change change, @Nullable Position resume) {
        mark();
        batcher.change(resume, change.size());
        changes.add(change);
        if (batchFull() && !full()) {
            cut();
        }
    }

    @Override
    public void marker(Position position) {
        if (!batcher.rides(position)) { // I7
            marked = position;
        }
    }

    @Override
    public void planned(List<SplitPlan> plans) {
        put(new Found(plans));
    }

    @Override
    public boolean full() {
        return queued.get() >= QUEUE_ITEMS_MAX - QUEUE_ITEMS_RESERVED
                || limits.held().get() >= limits.heldMax();
    }

    private boolean batchFull() {
        return batcher.changes() >= limits.changes() || batcher.bytes() >= limits.bytes();
    }

    /** Hands on the newest marker that had no batch to ride on. */
    private void mark() {
        Position position = marked;
        if (position != null && queued.get() < QUEUE_ITEMS_MAX - 1) {
            marked = null;
            put(new Marked(position));
        }
    }

    private void cut() {
        mark();
        if (batcher.isEmpty()) {
            return;
        }
        Batcher.Cut cut = batcher.cut();
        List<Change> given = Collections.unmodifiableList(changes); // nobody else has it, so it need not be copied
        changes = new ArrayList<>(given.size()); // the next one is mostly as large
        Batch batch = new Batch(split, cut.sequence(), plan.lineage(), given, cut.bytes());
        waiting.incrementAndGet();
        limits.held().addAndGet(batch.bytes());
        put(new Cut(batch, cut.resume()));
    }

    private void put(Item item) {
        int count = queued.incrementAndGet();
        Check.invariant(count <= QUEUE_ITEMS_MAX, "I15: a reader queues more than it may"); // full() keeps places free
        queue.add(item);
        mailbox.nudge();
    }

    @Override
    void release() {
        SplitReader open = reader;
        if (open != null) {
            open.close();
        }
    }

    @Override
    void abortCalls() {
        SplitReader open = reader;
        if (open != null) {
            open.abort();
        }
    }
}
