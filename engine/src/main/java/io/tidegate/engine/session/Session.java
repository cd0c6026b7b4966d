package io.tidegate.engine.session;

import io.tidegate.engine.env.Threads;
import io.tidegate.engine.gate.Gate;
import io.tidegate.engine.gate.GateEffects;
import io.tidegate.engine.gate.GateEnd;
import io.tidegate.engine.gate.GateWrite;
import io.tidegate.spi.Batch;
import io.tidegate.spi.Checkpoint;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.Position;
import io.tidegate.spi.Preparation;
import io.tidegate.spi.SplitPlan;
import io.tidegate.spi.SplitProgress;
import io.tidegate.spi.TidegateException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One session of a pipeline, on the pipeline's thread: loads what the store holds, gets the source ready, then carries out
 * what the gate decides. It never blocks; whatever blocks is a role with a thread of its own. It is over when all its
 * roles have ended and its last write is answered, so that nothing of it can land in the next one (I2).
 */
public final class Session implements GateEffects {

    /** An orderly end that takes longer goes on as a disorderly one. */
    private static final long ORDERLY_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final int number;
    private final SessionParts parts;
    private final Mailbox mailbox;
    private final SourceRole source;
    private final Threads.Running sourceThread;
    private @Nullable SinkRole sink;
    private Threads.@Nullable Running sinkThread;

    private final Readers readers = new Readers();
    private final ReaderRole.BatchLimits batchLimits;
    private final Queue<Runnable> effects = new ArrayDeque<>();
    /** Splits that were found before there was a gate. */
    private final List<SplitPlan> foundEarly = new ArrayList<>();

    private SessionPhase phase = SessionPhase.LOADING;
    private @Nullable Gate gate;
    private @Nullable Checkpoint loaded;
    private Preparation.@Nullable Ready ready;
    private GateEnd how = GateEnd.FAILED;
    private @Nullable TidegateException failure;
    private @Nullable TidegateException trouble;
    private boolean sourceEnded;
    /** Requests to the store that were not answered. */
    private int answersDue;

    private long endingSince;
    private boolean aborted;
    /** From the gate on. */
    private @Nullable SessionFlow flow;

    public Session(int number, SessionParts parts, Mailbox mailbox) {
        this.number = number;
        this.parts = parts;
        this.mailbox = mailbox;
        batchLimits = parts.batchLimits();
        source = parts.sourceRole(mailbox);
        sourceThread = start("source", source);
        parts.store().read(mailbox);
        answersDue++;
    }

    /** Takes what the roles said and what the readers read. Returns whether there was anything. */
    public boolean step() {
        tick();
        boolean worked = false;
        for (SessionEvent event = mailbox.take(); event != null; event = mailbox.take()) {
            on(event);
            carryOut();
            worked = true;
        }
        Gate open = gate;
        if (open != null && (phase == SessionPhase.RUNNING || phase == SessionPhase.DRAINING)) {
            worked |= readers.serve(reader -> takeFrom(open, reader), now());
            if (phase == SessionPhase.RUNNING && isComplete(open)) {
                stop();
            }
            if (phase == SessionPhase.DRAINING && blockedByRefusal()) {
                open.failed(number, "a stop does not wait for a refused change");
                carryOut();
            }
        }
        if (open != null) {
            flow().unsaved(open.unsaved());
        }
        retireReaders();
        if (phase == SessionPhase.ENDING && !aborted && now() - endingSince > ORDERLY_NANOS) {
            abortAll();
        }
        endIfOver();
        return worked;
    }

    /** Before anything else of a step: the gate counts its waits from the time it was told last. */
    private void tick() {
        Gate open = gate;
        if (open != null && (phase == SessionPhase.RUNNING || phase == SessionPhase.DRAINING)) {
            open.tick(now());
            carryOut();
        }
    }

    /** Drains and ends (I12). */
    public void stop() {
        Gate open = gate;
        if (phase == SessionPhase.RUNNING && open != null) {
            phase = SessionPhase.DRAINING;
            open.tick(now());
            readers.each(ReaderRole::quiesce);
            if (sink != null) {
                sink.quiesce();
            }
            wakeAll();
            open.stop();
            carryOut();
        } else if (phase.compareTo(SessionPhase.RUNNING) < 0) {
            how = GateEnd.STOPPED;
            end();
        }
        endIfOver();
    }

    /** Lets everything go without waiting for it: nobody steps this session any more. */
    public void abandon() {
        phase = SessionPhase.ENDING;
        abortAll();
        source.abort();
        wakeAll();
    }

    private void on(SessionEvent event) {
        if (event.ofStore()) {
            answersDue--;
        }
        if (event instanceof SessionEvent.RoleEnded role) {
            ended(role.role());
        } else if (event instanceof SessionEvent.Failed failed) {
            fail(failed.failure());
        } else if (phase == SessionPhase.LOADING || phase == SessionPhase.PREPARING) {
            onPreparing(event);
        } else if (event instanceof SessionEvent.Refused refused) {
            trouble = refused.why();
        } else if (phase == SessionPhase.OPENING) {
            onOpening(event);
        } else if (gate != null) {
            onRunning(gate, event);
        }
    }

    private void onPreparing(SessionEvent event) {
        if (event instanceof SessionEvent.Loaded read) {
            loaded = read.durable();
            phase = SessionPhase.PREPARING;
            source.prepare(read.durable());
            sourceThread.wake();
        } else if (event instanceof SessionEvent.StoreFailed failed) {
            fail(failed.failure());
        } else if (event instanceof SessionEvent.StepDue due) {
            parts.store().replan(due.step(), mailbox);
            answersDue++;
        } else if (event instanceof SessionEvent.SourceReady is) {
            ready = is.how();
            phase = SessionPhase.OPENING;
            openSink();
        }
    }

    private void onOpening(SessionEvent event) {
        if (event instanceof SessionEvent.SinkReady) {
            begin();
        } else if (event instanceof SessionEvent.Planned planned) {
            foundEarly.addAll(planned.plans());
        }
    }

    private void onRunning(Gate open, SessionEvent event) {
        if (event instanceof SessionEvent.Settled settled) {
            settled(open, settled.batch());
        } else if (event instanceof SessionEvent.Wrote) {
            flow().wrote();
            open.wrote(number);
        } else if (event instanceof SessionEvent.StoreFailed failed) {
            if (failed.failure().code().outcome() == ErrorCode.Outcome.RETRY) {
                trouble = failed.failure();
                flow().storeFailed(failed.failure());
                open.storeFailed(number);
            } else {
                fail(failed.failure());
            }
        } else if (event instanceof SessionEvent.Acknowledged acknowledged) {
            int split = acknowledged.split();
            open.acknowledged(number, split, acknowledged.durable());
            flow().acknowledged(split, Objects.equals(open.acknowledged(split), open.persisted(split)));
        } else if (event instanceof SessionEvent.Planned planned) {
            open.planned(number, planned.plans());
        }
    }

    private void settled(Gate open, Batch batch) {
        flow().settled(batch);
        long heldBefore = batchLimits.held().getAndAdd(-batch.bytes());
        if (heldBefore >= batchLimits.heldMax()) {
            readers.wake();
        }
        Position before = open.frontier(batch.split());
        open.settled(number, batch.split(), batch.sequence(), batch.bytes());
        flow().frontier(before, open.frontier(batch.split()));
    }

    private boolean takeFrom(Gate open, ReaderRole reader) {
        ReaderRole.Item item = reader.peek();
        if (item == null || phase == SessionPhase.ENDING || (item instanceof ReaderRole.Cut && !open.room())) {
            return false;
        }
        reader.taken();
        take(open, reader, item);
        carryOut();
        return true;
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
                flow().handed(open);
                handOver(batch, reader);
            } // else it is refused: stopping or ended, and so is everything after it (I10)
        } else if (item instanceof ReaderRole.Marked marked) {
            Position before = open.frontier(reader.split());
            open.marker(number, reader.split(), marked.position());
            flow().frontier(before, open.frontier(reader.split()));
        } else if (item instanceof ReaderRole.Found found) {
            open.planned(number, found.plans());
        } else {
            open.finished(number, reader.split());
            flow().finished();
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

    @Override
    public void open(int split, SplitPlan plan, @Nullable Position from) {
        readers.await(new Readers.Opening(split, plan, from));
    }

    @Override
    public void persist(GateWrite write) {
        effects.add(() -> {
            parts.store().progress(write, mailbox);
            flow().persisting();
            answersDue++;
        });
    }

    @Override
    public void acknowledge(int split, SplitProgress durable) {
        effects.add(() -> {
            flow().acknowledging(split);
            if (!readers.acknowledge(split, durable)) {
                source.acknowledge(split, durable);
                sourceThread.wake();
            }
        });
    }

    @Override
    public void end(GateEnd end, String why) {
        effects.add(() -> {
            how = end;
            if (end == GateEnd.FAILED && failure == null && !(phase == SessionPhase.DRAINING && blockedByRefusal())) {
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
        if (limits == null || phase != SessionPhase.RUNNING) {
            return;
        }
        readers.openUpTo(limits.readersMax(), next -> {
            ReaderRole reader =
                    new ReaderRole(next.split(), next.plan(), next.from(), source.session(), batchLimits, mailbox);
            readers.add(reader, start(reader.name(), reader), now());
        });
    }

    private void openSink() {
        SinkRole role = parts.sinkRole(mailbox);
        sink = role;
        sinkThread = start("sink", role);
    }

    private void begin() {
        Checkpoint from = loaded;
        if (from == null) {
            throw new IllegalStateException("I2: a session begins with what the store holds");
        }
        flow = new SessionFlow(parts.environment().clock(), parts.counters());
        Gate built = new Gate(number, parts.gateLimits(), parts.source().positions(), from.splits(), now(), this);
        gate = built;
        phase = SessionPhase.RUNNING;
        built.start();
        if (!foundEarly.isEmpty()) {
            built.planned(number, foundEarly);
        }
    }

    private boolean isComplete(Gate open) {
        return ready != null && ready.bounded() && readers.isEmpty() && open.complete();
    }

    private boolean blockedByRefusal() {
        return sink != null && sink.blockedByRefusal();
    }

    private void fail(TidegateException e) {
        if (phase == SessionPhase.ENDING || phase == SessionPhase.ENDED) {
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

    /** Lets all roles end: at once where nothing is worth waiting for, the source after its readers. */
    private void end() {
        if (phase == SessionPhase.ENDING || phase == SessionPhase.ENDED) {
            return;
        }
        phase = SessionPhase.ENDING;
        endingSince = now();
        readers.each(SessionRole::close);
        if (sink != null) {
            sink.close();
        }
        if (how != GateEnd.STOPPED || gate == null) {
            abortAll();
        }
        if (readers.isEmpty()) {
            source.close();
        }
        wakeAll();
    }

    /** Makes whatever a role waits for fail. The source is closed after its readers all the same. */
    private void abortAll() {
        aborted = true;
        readers.each(SessionRole::abort);
        if (sink != null) {
            sink.abort();
        }
        source.unblock();
    }

    private void ended(SessionRole role) {
        if (role == source) {
            sourceEnded = true;
        } else if (role == sink) {
            sink = null;
        } else if (role instanceof ReaderRole reader) {
            readers.ended(reader);
        }
    }

    private void retireReaders() {
        readers.retire(phase == SessionPhase.ENDING, reader -> {
            SplitProgress left = reader.acknowledgementLeft();
            if (left != null) {
                source.acknowledge(reader.split(), left);
                sourceThread.wake();
            }
        });
        if (phase == SessionPhase.ENDING && readers.isEmpty() && !source.closing()) {
            source.close();
            sourceThread.wake();
        }
        openReaders();
    }

    private void endIfOver() {
        if (phase == SessionPhase.ENDING && readers.isEmpty() && sink == null && sourceEnded && answersDue == 0) {
            phase = SessionPhase.ENDED;
        }
    }

    private void wakeAll() {
        readers.wake();
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

    public SessionPhase phase() {
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

    /** When {@link #step} has to be called again without a nudge, in nanoseconds of the clock. */
    public long deadline() {
        return gate == null ? Gate.NEVER : gate.deadline();
    }

    public @Nullable Gate gate() {
        return gate;
    }

    /** What it has got done; there is one as soon as there is a gate. */
    public SessionFlow flow() {
        return Objects.requireNonNull(flow, "nothing is read yet");
    }

    public String doing() {
        return source.whatItDoes();
    }

    /** The splits that are being read. */
    public ReadSplits reading() {
        return readers.splits();
    }

    /** What it waits for now. */
    public List<Wait> waits() {
        SessionWaits waits = new SessionWaits(parts.store(), source, sink, readers);
        return phase.compareTo(SessionPhase.ENDING) < 0
                ? waits.working(gate, flow, phase == SessionPhase.RUNNING, now())
                : waits.ending(gate, flow, endingSince, answersDue > 0);
    }

    /** Whether everything of a bounded source is delivered. */
    public boolean completed() {
        return gate != null && ready != null && ready.bounded() && gate.complete();
    }
}
