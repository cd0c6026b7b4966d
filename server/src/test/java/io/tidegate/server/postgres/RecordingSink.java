package io.tidegate.server.postgres;

import io.tidegate.spi.Batch;
import io.tidegate.spi.Change;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.Finding;
import io.tidegate.spi.Sink;
import io.tidegate.spi.SinkContext;
import io.tidegate.spi.SinkSession;
import io.tidegate.spi.TidegateException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a short text of each durable change, see {@link ChangeText}, in order. Outlives pipelines, as a file does. Can hang,
 * make only the first changes durable, or fail. Any thread may ask and script it.
 */
final class RecordingSink implements Sink {

    private final List<String> durable = Collections.synchronizedList(new ArrayList<>());
    private final AtomicLong accepted = new AtomicLong();
    private final AtomicInteger hanging = new AtomicInteger();
    private final AtomicReference<@Nullable TidegateException> failure = new AtomicReference<>();
    private final Set<CountDownLatch> died = ConcurrentHashMap.newKeySet();
    private volatile @Nullable CountDownLatch closed;
    private final AtomicInteger freeFlushes = new AtomicInteger();

    List<String> durable() {
        synchronized (durable) {
            return List.copyOf(durable);
        }
    }

    int size() {
        return durable.size();
    }

    /** Changes handed over, durable or not. */
    long accepted() {
        return accepted.get();
    }

    /** From now on each flush hangs until {@link #release}; an abort does not help. */
    void hang() {
        hangAfter(0);
    }

    /** So many flushes take effect, each later one hangs. */
    void hangAfter(int flushes) {
        freeFlushes.set(flushes);
        closed = new CountDownLatch(1);
    }

    void release() {
        CountDownLatch latch = closed;
        closed = null;
        if (latch != null) {
            latch.countDown();
        }
    }

    /** What hangs now never takes effect: its process has died. Later flushes do not hang. */
    void die() {
        CountDownLatch latch = closed;
        closed = null;
        if (latch != null) {
            died.add(latch);
            latch.countDown();
        }
    }

    /** Flushes that hang now. */
    int hanging() {
        return hanging.get();
    }

    /** The flush that hangs, or comes next, fails before it takes effect. */
    void fail(TidegateException with) {
        failure.set(with);
    }

    @Override
    public List<Finding> check() {
        return List.of();
    }

    @Override
    public SinkSession open(SinkContext context) {
        return new Session(context);
    }

    private final class Session implements SinkSession {

        private final SinkContext context;
        private final List<Batch> batches = new ArrayList<>();

        Session(SinkContext context) {
            this.context = context;
        }

        @Override
        public void accept(Batch batch) {
            batches.add(batch);
            accepted.addAndGet(batch.changes().size());
        }

        @Override
        public void flush() throws InterruptedException {
            pass();
            TidegateException with = failure.getAndSet(null);
            if (with != null) {
                throw with;
            }
            for (Batch batch : batches) {
                for (Change change : batch.changes()) {
                    durable.add(ChangeText.of(change));
                }
                context.durable(batch);
            }
            batches.clear();
        }

        private void pass() throws InterruptedException {
            CountDownLatch latch = closed;
            if (latch == null || freeFlushes.getAndDecrement() > 0) {
                return;
            }
            hanging.incrementAndGet();
            try {
                latch.await();
            } finally {
                hanging.decrementAndGet();
            }
            if (died.contains(latch)) {
                throw new TidegateException(ErrorCode.SINK_FAILED, "this sink has died");
            }
        }

        @Override
        public void abort() {}

        @Override
        public void close() {}
    }
}
