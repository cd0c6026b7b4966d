package io.tidegate.engine.session;

import io.tidegate.engine.PipelineOptions;
import io.tidegate.engine.env.Environment;
import io.tidegate.engine.env.Threads;
import io.tidegate.engine.gate.Gate;
import io.tidegate.engine.gate.GateEffects;
import io.tidegate.engine.gate.GateEnd;
import io.tidegate.engine.gate.GateLimits;
import io.tidegate.engine.gate.GateWrite;
import io.tidegate.spi.Batch;
import io.tidegate.spi.ChangeEncoder;
import io.tidegate.spi.Checkpoint;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.Position;
import io.tidegate.spi.Preparation;
import io.tidegate.spi.Sink;
import io.tidegate.spi.Source;
import io.tidegate.spi.SplitPlan;
import io.tidegate.spi.SplitProgress;
import io.tidegate.spi.TidegateException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * One session of a pipeline, on the pipeline's thread: loads what the store holds, gets the source ready, then carries out
 * what the gate decides. It never blocks; whatever blocks is a role with a thread of its own. It is over when all its
 * roles have ended, so that nothing of it can land in the next one (I2).
 */
public final class Session implements GateEffects {

    /** Where a session is in its life; it only goes down. */
    public enum Phase {
        /** Waits for what the store holds. */
        LOADING,
        /** The source is getting ready. */
        PREPARING,
        /** The sink is opening. */
        OPENING,
        RUNNING,
        /** A stop was asked for: drains. */
        DRAINING,
        /** Ended by the gate, or failed before there was one; waits for its roles to end. */
        ENDING,
        ENDED
    }

    /** What a session is made of. */
    public record Parts(
            String pipeline,
            Source source,
            Sink sink,
            ChangeEncoder encoder,
            PipelineOptions options,
            Environment environment,
            StoreRole store,
            Counters counters) {}

    /** Numbers that outlive a session; for status only. */
    public record Counters(AtomicLong delivered, AtomicLong rejected, Map<String, Double> measures) {}

    /** What is waiting to be read, because enough is being read already. */
    private record Opening(
            int split, SplitPlan plan, @Nullable Position from) {}

    private final int number;
    private final Parts parts;
    private final Mailbox mailbox;
    private final SourceRole source;
    private final Threads.Running sourceThread;
    private @Nullable SinkRole sink;
    private Threads.@Nullable Running sinkThread;

    private final Map<Integer, ReaderRole> readers = new LinkedHashMap<>();
    private final Map<Integer, Threads.Running> readerThreads = new HashMap<>();
    private final List<ReaderRole> endedReaders = new ArrayList<>();
    private final ReaderRole.BatchLimits batchLimits;
    private final Queue<Opening> toOpen = new ArrayDeque<>();
    private final Queue<Runnable> effects = new ArrayDeque<>();

    private Phase phase = Phase.LOADING;
    private @Nullable Gate gate;
    private @Nullable Checkpoint loaded;
    private Preparation.@Nullable Ready ready;
    private GateEnd how = GateEnd.FAILED;
    private @Nullable TidegateException failure;
    private @Nullable TidegateException trouble;
    private boolean sourceEnded;
    private boolean progressed;
    private long wroteAt;
    private long delayMillis = -1;

    public Session(int number, Parts parts, Mailbox mailbox) {
        this.number = number;
        this.parts = parts;
        this.mailbox = mailbox;
        PipelineOptions options = parts.options();
        batchLimits = new ReaderRole.BatchLimits(
                options.batchChanges(), options.batchBytes(), new AtomicLong(), options.inFlightBytes());
        source = new SourceRole(
                parts.pipeline(),
                parts.source(),
                parts.environment().clock(),
                parts.counters().measures(),
                mailbox);
        sourceThread = start("source", source);
        parts.store().read(mailbox);
    }

    // ---- inputs --------------------------------------------------------------------------------------------------

    /** Takes what the roles said and what the readers read. Returns whether there was anything. */
    public boolean step() {
        boolean worked = false;
        for (SessionEvent event = mailbox.take(); event != null; event = mailbox.take()) {
            on(event);
            carryOut();
            worked = true;
        }
        Gate open = gate;
        if (open != null && (phase == Phase.RUNNING || phase == Phase.DRAINING)) {
            open.tick(now());
            carryOut();
            worked |= takeFromReaders(open);
            if (phase == Phase.RUNNING && isComplete(open)) {
                stop();
            }
            if (phase == Phase.DRAINING && blockedByRefusal()) {
                open.failed(number, "a stop does not wait for a refused change");
                carryOut();
            }
        }
        retireReaders();
        endIfOver();
        return worked;
    }

    /** Drains and ends (I12). */
    public void stop() {
        Gate open = gate;
        if (phase == Phase.RUNNING && open != null) {
            phase = Phase.DRAINING;
            open.tick(now());
            readers.values().forEach(ReaderRole::quiesce);
            if (sink != null) {
                sink.quiesce();
            }
            wakeAll();
            open.stop();
            carryOut();
        } else if (phase.compareTo(Phase.RUNNING) < 0) {
            how = GateEnd.STOPPED;
            end();
        }
        endIfOver();
    }

    /** Lets its roles end without asking the gate, which has failed; no step may follow. */
    public void abandon() {
        how = GateEnd.FAILED;
        end();
        source.close();
        sourceThread.wake();
    }

    private void on(SessionEvent event) {
        if (event instanceof SessionEvent.RoleEnded role) {
            ended(role.role());
        } else if (event instanceof SessionEvent.Failed failed) {
            fail(failed.failure());
        } else if (phase == Phase.LOADING || phase == Phase.PREPARING) {
            onPreparing(event);
        } else if (event instanceof SessionEvent.SinkReady && phase == Phase.OPENING) {
            begin();
        } else if (gate != null) {
            onRunning(gate, event);
        }
    }

    private void onPreparing(SessionEvent event) {
        if (event instanceof SessionEvent.Loaded read) {
            loaded = read.durable();
            phase = Phase.PREPARING;
            source.prepare(read.durable());
            sourceThread.wake();
        } else if (event instanceof SessionEvent.StoreFailed failed) {
            fail(failed.failure());
        } else if (event instanceof SessionEvent.StepDue due) {
            parts.store().replan(due.step(), mailbox);
        } else if (event instanceof SessionEvent.SourceReady is) {
            ready = is.how();
            phase = Phase.OPENING;
            openSink();
        }
    }

    private void onRunning(Gate open, SessionEvent event) {
        if (event instanceof SessionEvent.Settled settled) {
            settled(open, settled.batch());
        } else if (event instanceof SessionEvent.Wrote) {
            progressed = true;
            wroteAt = now();
            open.wrote(number);
        } else if (event instanceof SessionEvent.StoreFailed failed) {
            if (failed.failure().code().outcome() == ErrorCode.Outcome.RETRY) {
                trouble = failed.failure();
                open.storeFailed(number);
            } else {
                fail(failed.failure());
            }
        } else if (event instanceof SessionEvent.Acknowledged acknowledged) {
            open.acknowledged(number, acknowledged.split(), acknowledged.durable());
        } else if (event instanceof SessionEvent.Planned planned) {
            open.planned(number, planned.plans());
        }
    }

    private void settled(Gate open, Batch batch) {
        parts.counters().delivered().addAndGet(batch.changes().size());
        long heldBefore = batchLimits.held().getAndAdd(-batch.bytes());
        if (heldBefore >= batchLimits.heldMax()) {
            readerThreads.values().forEach(Session::wake);
        }
        long committedAt =
                batch.changes().get(batch.changes().size() - 1).origin().committedAtMicros();
        delayMillis = Math.max(0, parts.environment().clock().epochMillis() - committedAt / 1_000);
        open.settled(number, batch.split(), batch.sequence(), batch.bytes());
    }

    private boolean takeFromReaders(Gate open) {
        boolean worked = false;
        for (ReaderRole reader : List.copyOf(readers.values())) {
            for (ReaderRole.Item item = reader.peek(); item != null; item = reader.peek()) {
                if (phase == Phase.ENDING || (item instanceof ReaderRole.Cut && !open.room())) {
                    break;
                }
                reader.taken();
                worked = true;
                take(open, reader, item);
                carryOut();
                wake(readerThreads.get(reader.split()));
            }
        }
        return worked;
    }

    private void take(Gate open, ReaderRole reader, ReaderRole.Item item) {
        if (item instanceof ReaderRole.Cut cut) {
            Batch batch = cut.batch();
            if (open.tracked(
                    number,
                    reader.split(),
                    batch.sequence(),
                    cut.resume(),
                    batch.changes().size(),
                    batch.bytes())) {
                handOver(batch, reader);
            } // else it is refused: stopping or ended, and so is everything after it (I10)
        } else if (item instanceof ReaderRole.Marked marked) {
            open.marker(number, reader.split(), marked.position());
        } else if (item instanceof ReaderRole.Found found) {
            open.planned(number, found.plans());
        } else {
            open.finished(number, reader.split());
        }
    }

    private void handOver(Batch batch, ReaderRole reader) {
        SinkRole to = sink;
        if (to == null) {
            throw new IllegalStateException("I10: a batch was tracked before the sink was open");
        }
        to.hand(batch, reader);
        wake(sinkThread);
    }

    // ---- effects of the gate, recorded, then carried out -----------------------------------------------------------

    @Override
    public void open(int split, SplitPlan plan, @Nullable Position from) {
        toOpen.add(new Opening(split, plan, from));
    }

    @Override
    public void persist(GateWrite write) {
        effects.add(() -> parts.store().progress(write, mailbox));
    }

    @Override
    public void acknowledge(int split, SplitProgress durable) {
        effects.add(() -> {
            ReaderRole reader = readers.get(split);
            if (reader != null) {
                reader.acknowledge(durable);
                wake(readerThreads.get(split));
            } else {
                source.acknowledge(split, durable);
                sourceThread.wake();
            }
        });
    }

    @Override
    public void end(GateEnd end, String why) {
        effects.add(() -> {
            how = end;
            if (end == GateEnd.FAILED && failure == null && !(phase == Phase.DRAINING && blockedByRefusal())) {
                failure = new TidegateException(ErrorCode.INTERNAL, why);
            }
            end();
        });
    }

    private void carryOut() {
        for (Runnable effect = effects.poll(); effect != null; effect = effects.poll()) {
            effect.run();
        }
        openReaders();
    }

    private void openReaders() {
        Preparation.Ready limits = ready;
        while (limits != null && phase == Phase.RUNNING && !toOpen.isEmpty() && readers.size() < limits.readersMax()) {
            Opening next = toOpen.remove();
            ReaderRole reader =
                    new ReaderRole(next.split(), next.plan(), next.from(), source.session(), batchLimits, mailbox);
            readers.put(next.split(), reader);
            readerThreads.put(next.split(), start(reader.name(), reader));
        }
    }

    // ---- life ------------------------------------------------------------------------------------------------------

    private void openSink() {
        SinkRole role = new SinkRole(
                new SinkRole.Parts(
                        parts.pipeline(),
                        parts.sink(),
                        parts.encoder(),
                        parts.environment().disk(),
                        parts.environment().clock(),
                        parts.options().rejects() == PipelineOptions.RejectPolicy.RETRY,
                        new Backoff(
                                parts.options().retryInitial(),
                                parts.options().retryMax(),
                                parts.environment().random()),
                        parts.counters().rejected()),
                mailbox);
        sink = role;
        sinkThread = start("sink", role);
    }

    private void begin() {
        PipelineOptions options = parts.options();
        GateLimits limits = new GateLimits(
                options.inFlightBatches(),
                options.inFlightBytes(),
                options.checkpointChanges(),
                options.checkpointInterval().toNanos(),
                options.retryInitial().toNanos(),
                options.retryMax().toNanos(),
                options.stopTimeout().toNanos());
        Checkpoint from = loaded;
        if (from == null) {
            throw new IllegalStateException("I2: a session begins with what the store holds");
        }
        wroteAt = now();
        Gate built = new Gate(number, limits, parts.source().positions(), from.splits(), now(), this);
        gate = built;
        phase = Phase.RUNNING;
        built.start();
    }

    private boolean isComplete(Gate open) {
        return ready != null && ready.bounded() && open.complete() && readers.isEmpty();
    }

    private boolean blockedByRefusal() {
        return sink != null && sink.blockedByRefusal();
    }

    private void fail(TidegateException e) {
        if (phase == Phase.ENDING || phase == Phase.ENDED) {
            return;
        }
        failure = e;
        if (gate != null) {
            gate.failed(number, e.describe());
            carryOut();
        } else {
            how = GateEnd.FAILED;
            end();
        }
    }

    /** Lets all roles end: at once where nothing is worth waiting for, the readers before their source. */
    private void end() {
        if (phase == Phase.ENDING || phase == Phase.ENDED) {
            return;
        }
        phase = Phase.ENDING;
        boolean graceful = how == GateEnd.STOPPED && gate != null;
        for (ReaderRole reader : readers.values()) {
            close(reader, graceful);
        }
        if (sink != null) {
            close(sink, graceful);
        }
        if (!graceful) {
            source.abort();
        }
        if (readers.isEmpty()) {
            source.close();
        }
        wakeAll();
    }

    private static void close(SessionRole role, boolean graceful) {
        if (graceful) {
            role.close();
        } else {
            role.abort();
        }
    }

    private void ended(SessionRole role) {
        if (role == source) {
            sourceEnded = true;
        } else if (role == sink) {
            sink = null;
        } else if (role instanceof ReaderRole reader) {
            endedReaders.add(reader);
        }
    }

    /** Lets go of readers that have ended, when everything that they read was taken. */
    private void retireReaders() {
        for (ReaderRole reader : List.copyOf(endedReaders)) {
            if (reader.peek() != null && phase != Phase.ENDING) {
                continue;
            }
            endedReaders.remove(reader);
            readers.remove(reader.split());
            readerThreads.remove(reader.split());
            SplitProgress left = reader.acknowledgementLeft();
            if (left != null) {
                source.acknowledge(reader.split(), left);
                sourceThread.wake();
            }
        }
        if (phase == Phase.ENDING && readers.isEmpty() && !source.closing()) {
            source.close();
            sourceThread.wake();
        }
        openReaders();
    }

    private void endIfOver() {
        if (phase == Phase.ENDING && readers.isEmpty() && sink == null && sourceEnded) {
            phase = Phase.ENDED;
        }
    }

    private void wakeAll() {
        readerThreads.values().forEach(Session::wake);
        wake(sinkThread);
        sourceThread.wake();
    }

    private static void wake(Threads.@Nullable Running thread) {
        if (thread != null) {
            thread.wake();
        }
    }

    private Threads.Running start(String role, SessionRole work) {
        return parts.environment().threads().start("tidegate " + parts.pipeline() + " " + role, work);
    }

    private long now() {
        return parts.environment().clock().nanoTime();
    }

    // ---- questions -------------------------------------------------------------------------------------------------

    public Phase phase() {
        return phase;
    }

    /** How it ended; of meaning once it is over, or ending. */
    public GateEnd how() {
        return how;
    }

    /** Why it failed; null if it did not. */
    public @Nullable TidegateException failure() {
        return failure;
    }

    /** The newest failure that was tried again within the session; null if nothing went wrong. */
    public @Nullable TidegateException trouble() {
        return trouble;
    }

    /** Whether anything was persisted: then the next failure is a new one. */
    public boolean progressed() {
        return progressed;
    }

    /** When {@link #step} has to be called again without a nudge, in nanoseconds of the clock. */
    public long deadline() {
        return gate == null ? Gate.NEVER : gate.deadline();
    }

    /** The begin of the sink's or the store's oldest call under way; 0 if none is. */
    public long oldestCallSince() {
        long write = parts.store().busySince();
        long hand = sink == null ? 0 : sink.busySince();
        return write == 0 ? hand : hand == 0 ? write : Math.min(write, hand);
    }

    public @Nullable Gate gate() {
        return gate;
    }

    public String doing() {
        return source.whatItDoes();
    }

    public long wroteAt() {
        return wroteAt;
    }

    /** From commit to settled, of the newest settled change, milliseconds; -1 before the first. */
    public long delayMillis() {
        return delayMillis;
    }

    /** Whether everything of a bounded source is delivered. */
    public boolean completed() {
        return gate != null && ready != null && ready.bounded() && gate.complete();
    }
}
