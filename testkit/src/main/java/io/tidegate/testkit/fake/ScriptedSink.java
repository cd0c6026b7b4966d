package io.tidegate.testkit.fake;

import io.tidegate.spi.Batch;
import io.tidegate.spi.Change;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.Finding;
import io.tidegate.spi.RejectedException;
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
import org.jspecify.annotations.Nullable;

/**
 * Keeps what was made durable, in order. Scripted to refuse changes by name, to fail once before or after a flush took
 * effect, or to hang. It outlives pipelines, as a file does. Any thread may ask and script it.
 */
public final class ScriptedSink implements Sink {

    private final List<String> durable = Collections.synchronizedList(new ArrayList<>());
    private final Set<String> refused = ConcurrentHashMap.newKeySet();
    private final AtomicInteger flushes = new AtomicInteger();
    private final AtomicInteger refusals = new AtomicInteger();
    private final AtomicInteger failuresBefore = new AtomicInteger();
    private final AtomicInteger failuresAfter = new AtomicInteger();
    private final AtomicInteger openNow = new AtomicInteger();
    private volatile @Nullable CountDownLatch gate;
    private volatile Trouble trouble = Trouble.NONE;
    private volatile boolean refusesInFlush;
    private volatile boolean silent;

    /** The names of the durable changes, {@link Numbered#name}. */
    public List<String> durable() {
        synchronized (durable) {
            return List.copyOf(durable);
        }
    }

    public void refuse(String change) {
        refused.add(change);
    }

    public void take(String change) {
        refused.remove(change);
    }

    public int refusals() {
        return refusals.get();
    }

    /** Refuses in the flush, when batches before the refused one are durable already; no more in the accept. */
    public void refuseInFlush() {
        refusesInFlush = true;
    }

    /** From now on a flush returns, and what it wrote is never reported. */
    public void reportNothing() {
        silent = true;
    }

    public void trouble(Trouble trouble) {
        this.trouble = trouble;
    }

    /** Sessions that can write now. */
    public int openNow() {
        return openNow.get();
    }

    public int flushes() {
        return flushes.get();
    }

    /** The next flushes fail, before they took effect. */
    public void failBefore(int times) {
        failuresBefore.set(times);
    }

    /** The next flushes fail, after they took effect. */
    public void failAfter(int times) {
        failuresAfter.set(times);
    }

    /** From now on each flush hangs until {@link #release}; an abort does not help. */
    public void hang() {
        gate = new CountDownLatch(1);
    }

    public void release() {
        CountDownLatch closed = gate;
        gate = null;
        if (closed != null) {
            closed.countDown();
        }
    }

    @Override
    public List<Finding> check() {
        return List.of();
    }

    @Override
    public SinkSession open(SinkContext context) {
        before(Trouble.Call.OPEN_SINK, "");
        if (openNow.incrementAndGet() != 1) {
            throw new TidegateException(ErrorCode.INTERNAL, "I2: a sink was opened while another one can still write");
        }
        return new ScriptedSession(context);
    }

    private void before(Trouble.Call call, String what) {
        try {
            trouble.before(call, what);
        } catch (InterruptedException e) {
            throw new TidegateException(ErrorCode.SINK_FAILED, "interrupted", e);
        }
    }

    private final class ScriptedSession implements SinkSession {

        private final SinkContext context;
        private final List<Batch> accepted = new ArrayList<>();

        ScriptedSession(SinkContext context) {
            this.context = context;
        }

        @Override
        public void accept(Batch batch) {
            before(Trouble.Call.ACCEPT, Numbered.name(batch.changes().get(0)));
            if (!refusesInFlush) {
                judge(batch);
            }
            accepted.add(batch);
        }

        private void judge(Batch batch) {
            for (int i = 0; i < batch.changes().size(); i++) {
                String name = Numbered.name(batch.changes().get(i));
                if (refused.contains(name)) {
                    refusals.incrementAndGet();
                    throw new RejectedException(batch, i, name + " is refused");
                }
            }
        }

        @Override
        public void flush() throws InterruptedException {
            CountDownLatch closed = gate;
            if (closed != null) {
                closed.await();
            }
            if (failuresBefore.getAndUpdate(n -> Math.max(0, n - 1)) > 0) {
                throw new TidegateException(ErrorCode.SINK_FAILED, "the sink fails before the write");
            }
            before(Trouble.Call.FLUSH, "");
            if (refusesInFlush) {
                flushOneByOne();
            }
            for (Batch batch : accepted) {
                write(batch);
            }
            flushes.incrementAndGet();
            before(Trouble.Call.FLUSHED, "");
            if (failuresAfter.getAndUpdate(n -> Math.max(0, n - 1)) > 0) {
                throw new TidegateException(ErrorCode.SINK_FAILED, "the sink fails after the write");
            }
            if (!silent) {
                accepted.forEach(context::durable);
            }
            accepted.clear();
        }

        private void flushOneByOne() {
            while (!accepted.isEmpty()) {
                Batch batch = accepted.get(0);
                try {
                    judge(batch);
                } catch (RejectedException e) {
                    accepted.clear();
                    throw e;
                }
                write(batch);
                context.durable(batch);
                accepted.remove(0);
            }
        }

        private void write(Batch batch) {
            for (Change change : batch.changes()) {
                durable.add(Numbered.name(change));
            }
        }

        @Override
        public void abort() {}

        @Override
        public void close() {
            openNow.decrementAndGet();
            before(Trouble.Call.CLOSE_SINK, "");
        }
    }
}
