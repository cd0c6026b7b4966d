package io.tidegate.engine.gate;

import io.tidegate.spi.Position;
import io.tidegate.spi.SplitPlan;
import io.tidegate.spi.SplitProgress;
import io.tidegate.spi.SplitState;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Decides, for one session of one pipeline, what may be opened, persisted and acknowledged. A state machine without
 * thread, clock or I/O: each input is a method, each effect is recorded by {@link GateEffects}. A new session is a new
 * gate, made from what the store holds once its last queued write has ended; nothing in here outlives a session.
 *
 * <ul>
 *   <li>I1: an acknowledgement is the very record that the store confirmed.
 *   <li>I2: frontier ≥ persisted ≥ acknowledged; inputs of a dead session change nothing.
 *   <li>I5: a batch that ends inside a transaction claims no position.
 *   <li>I6: a split opens when its plan is durable and all splits before it are durably done.
 *   <li>I7: a marker takes no slot and never overtakes a row.
 *   <li>I8: one write at a time; a failed one is tried again with at least its content.
 *   <li>I9: a stop waits for each acknowledgement.
 *   <li>I10: a session that ends still writes what is settled.
 *   <li>I12: a stop ends within its timeout.
 *   <li>I15: {@link #room} bounds what is in flight.
 * </ul>
 */
public final class Gate {

    /** A time that never comes. */
    public static final long NEVER = Long.MAX_VALUE;

    private static final int DOUBLINGS_MAX = 16;

    final int session;
    final GateLimits limits;
    final Comparator<? super Position> order;
    final GateEffects effects;
    final ArrayList<SplitLedger> splits = new ArrayList<>();
    final ArrayList<SplitLedger> dirty = new ArrayList<>();
    /** Replaced, never changed in place. */
    Map<String, Integer> handles = new HashMap<>();
    /** The one write under way, or null. */
    @Nullable
    GateWrite writing;

    int batchesInFlight;
    long bytesInFlight;
    /** Splits whose newest stored record the source has not confirmed. */
    int acknowledgementsDue;
    /** Writes that failed in a row. */
    int failures;
    /** Changes settled since the last write. */
    long changesUnsaved;

    long now;
    long dueAt = NEVER;
    /** No write begins before, whatever is due: so far from the one before it, or from one that failed. */
    long earliestAt = Long.MIN_VALUE;

    long stopAt = NEVER;
    boolean stopping;
    boolean ended;

    /** Tells one session's inputs from those of an earlier one that still speaks. */
    public Gate(
            int session,
            GateLimits limits,
            Comparator<? super Position> order,
            List<SplitState> stored,
            long now,
            GateEffects effects) {
        this.session = session;
        this.limits = limits;
        this.order = order;
        this.effects = effects;
        this.now = now;
        for (SplitState state : stored) {
            add(state.plan(), state.progress());
        }
    }

    /** Opens what may be read. The source was opened with the same checkpoint, which acknowledged all of it (I9). */
    public void start() {
        for (SplitLedger split : splits) {
            openIfFree(split);
        }
    }

    /** The source knows more splits. All of them are one write, and open after it (I17). Known ones change nothing. */
    public void planned(int session, List<SplitPlan> plans) {
        if (dead(session)) {
            return;
        }
        String fault = faultOf(plans);
        if (fault != null) { // before any of it is taken: all of a plan is one write, or none
            fail(fault);
            return;
        }
        handles = new HashMap<>(handles);
        for (SplitPlan plan : plans) {
            if (!handles.containsKey(plan.id())) {
                touch(add(plan, null));
                dueAt = now;
            }
        }
        proceed();
    }

    /**
     * A batch was cut. True: hand it to the sink, now. False: it is refused, and nothing more of that reader counts.
     *
     * @param resume the position that everything up to the batch's end can be resumed from; null inside a transaction
     */
    public boolean tracked(int session, int split, int sequence, @Nullable Position resume, int changes, long bytes) {
        if (dead(session) || stopping) {
            return false;
        }
        SplitLedger ledger = splits.get(split);
        if (!ledger.opened || ledger.finished || sequence != ledger.next) {
            fail("I4: batch " + sequence + " of " + ledger.plan.id() + " is out of order");
            return false;
        }
        if (resume != null && !forward(ledger, resume)) {
            return false;
        }
        ledger.track(sequence, resume, changes);
        batchesInFlight++;
        bytesInFlight += bytes;
        return true;
    }

    /** A position without a row (I7). */
    public void marker(int session, int split, Position position) {
        if (dead(session) || stopping) {
            return;
        }
        SplitLedger ledger = splits.get(split);
        if (!ledger.opened || ledger.finished) {
            fail("I7: a marker of " + ledger.plan.id() + " is out of order");
            return;
        }
        if (!forward(ledger, position)) {
            return;
        }
        ledger.mark(position);
        touch(ledger);
        proceed();
    }

    /** The fate of each change of the batch is final. */
    public void settled(int session, int split, int sequence, long bytes) {
        if (dead(session)) {
            return;
        }
        SplitLedger ledger = splits.get(split);
        if (!ledger.awaits(sequence)) {
            fail("I1: batch " + sequence + " of " + ledger.plan.id() + " was settled twice");
            return;
        }
        bytesInFlight -= bytes;
        changesUnsaved += ledger.settle(sequence);
        batchesInFlight -= ledger.release();
        touch(ledger);
        if (changesUnsaved >= limits.changesPerWrite()) {
            dueAt = now;
        }
        proceed();
    }

    /** The reader of this split has given all there is. */
    public void finished(int session, int split) {
        if (dead(session) || stopping) {
            return;
        }
        SplitLedger ledger = splits.get(split);
        if (!ledger.opened || ledger.finished) {
            fail("I6: " + ledger.plan.id() + " finished out of order");
            return;
        }
        ledger.finished = true;
        touch(ledger);
        proceed();
    }

    /** The write under way is durable. */
    public void wrote(int session) {
        if (dead(session)) {
            return;
        }
        GateWrite durable = endWriting();
        failures = 0;
        for (SplitPlan plan : durable.planned()) {
            SplitLedger ledger = ledger(plan.id());
            SplitProgress fresh = new SplitProgress(plan.id(), plan.start(), false);
            ledger.saved = fresh;
            ledger.acked = fresh;
        }
        for (SplitProgress progress : durable.progress()) {
            SplitLedger ledger = ledger(progress.id());
            if (confirmed(ledger)) {
                acknowledgementsDue++;
            }
            ledger.saved = progress;
            effects.acknowledge(ledger.handle, progress);
            if (progress.done()) {
                freeChildren(ledger);
            }
        }
        for (SplitPlan plan : durable.planned()) {
            openIfFree(ledger(plan.id()));
        }
        proceed();
    }

    /** The write under way failed; it may have landed (I8). */
    public void storeFailed(int session) {
        if (dead(session)) {
            return;
        }
        GateWrite failed = endWriting();
        for (SplitPlan plan : failed.planned()) {
            touch(ledger(plan.id()));
        }
        for (SplitProgress progress : failed.progress()) {
            touch(ledger(progress.id()));
        }
        dueAt = now;
        long wait = Math.min(limits.retryMax(), limits.retryMin() << Math.min(failures++, DOUBLINGS_MAX));
        earliestAt = Math.max(earliestAt, now + wait);
        proceed();
    }

    /** The source confirmed this record. */
    public void acknowledged(int session, int split, SplitProgress durable) {
        if (dead(session)) {
            return;
        }
        SplitLedger ledger = splits.get(split);
        if (confirmed(ledger)) {
            return;
        }
        ledger.acked = durable;
        if (confirmed(ledger)) {
            acknowledgementsDue--;
        }
        proceed();
    }

    /** A reader, a hand-over, an acknowledgement or the sink failed for good: the session ends (I10). */
    public void failed(int session, String why) {
        if (!dead(session)) {
            fail(why);
        }
    }

    /** Time has passed. */
    public void tick(long now) {
        if (ended) {
            return;
        }
        this.now = now;
        if (now >= stopAt) {
            end(GateEnd.STOP_TIMED_OUT, "the stop took longer than its timeout");
            return;
        }
        proceed();
    }

    /** Ends when everything handed over is settled, persisted and acknowledged, or when the time for it runs out (I12). */
    public void stop() {
        if (ended || stopping) {
            return;
        }
        stopping = true;
        stopAt = now + limits.stopTimeout();
        dueAt = now;
        if (failures == 0) { // a stop has only so much time (I12)
            earliestAt = now;
        }
        proceed();
    }

    /** Whether another batch may be tracked. One is always admitted when nothing is in flight (I15). */
    public boolean room() {
        return batchesInFlight == 0 || (batchesInFlight < limits.batchesMax() && bytesInFlight < limits.bytesMax());
    }

    /** When {@link #tick} has something to do, or {@link #NEVER}. */
    public long deadline() {
        if (ended) {
            return NEVER;
        }
        return Math.min(stopAt, writing == null && !dirty.isEmpty() ? Math.max(dueAt, earliestAt) : NEVER);
    }

    /** Whether every known split is durably done and the source knows. */
    public boolean complete() {
        if (acknowledgementsDue > 0) {
            return false;
        }
        for (SplitLedger split : splits) {
            if (split.saved == null || !split.saved.done()) {
                return false;
            }
        }
        return true;
    }

    public int size() {
        return splits.size();
    }

    public SplitPlan plan(int split) {
        return splits.get(split).plan;
    }

    public @Nullable Position frontier(int split) {
        return splits.get(split).frontier;
    }

    /** What the store confirmed of a split; null while its plan is not durable. */
    public @Nullable SplitProgress persisted(int split) {
        return splits.get(split).saved;
    }

    /** What the source confirmed of a split; null while its plan is not durable. */
    public @Nullable SplitProgress acknowledged(int split) {
        return splits.get(split).acked;
    }

    /** Whether something is settled, or planned, that no write holds yet. */
    public boolean unsaved() {
        return !dirty.isEmpty();
    }

    public int batchesInFlight() {
        return batchesInFlight;
    }

    public long bytesInFlight() {
        return bytesInFlight;
    }

    private @Nullable String faultOf(List<SplitPlan> plans) {
        Map<String, SplitPlan> known = new HashMap<>();
        for (SplitPlan plan : plans) {
            Integer handle = handles.get(plan.id());
            SplitPlan before = handle == null ? known.putIfAbsent(plan.id(), plan) : splits.get(handle).plan;
            if (before != null && !before.equals(plan)) {
                return "I17: split " + plan.id() + " was planned again with another content";
            }
            for (String parent : plan.after()) {
                if (!handles.containsKey(parent) && !known.containsKey(parent)) {
                    return "I6: split " + plan.id() + " comes after a split that nobody knows";
                }
            }
        }
        return null;
    }

    private boolean dead(int session) {
        return ended || session != this.session;
    }

    private SplitLedger ledger(String id) {
        Integer handle = handles.get(id);
        if (handle == null) {
            throw new IllegalStateException("no split " + id);
        }
        return splits.get(handle);
    }

    /** Whether the newest stored record is the one that the source confirmed: this very object (I1). */
    @SuppressWarnings("ReferenceEquality")
    private static boolean confirmed(SplitLedger ledger) {
        return ledger.acked == ledger.saved;
    }

    private boolean forward(SplitLedger ledger, Position position) {
        if (ledger.tracked != null && order.compare(position, ledger.tracked) < 0) {
            fail("I2: a position of " + ledger.plan.id() + " went back");
            return false;
        }
        ledger.tracked = position;
        return true;
    }

    private void touch(SplitLedger ledger) {
        if (ledger.dirty || !ledger.changed()) {
            return;
        }
        ledger.dirty = true;
        if (dirty.isEmpty()) {
            dueAt = Math.min(dueAt, now + limits.writeInterval());
        }
        dirty.add(ledger);
        if (ledger.complete() || stopping) { // others may wait for it
            dueAt = now;
        }
    }

    private void proceed() {
        if (ended) {
            return;
        }
        if (writing == null && !dirty.isEmpty() && now >= dueAt && now >= earliestAt) {
            persist();
        }
        if (stopping && batchesInFlight == 0 && dirty.isEmpty() && writing == null && acknowledgementsDue == 0) {
            end(GateEnd.STOPPED, "");
        }
    }

    private void persist() {
        List<SplitPlan> plans = new ArrayList<>();
        List<SplitProgress> progress = new ArrayList<>(dirty.size());
        for (SplitLedger ledger : dirty) {
            ledger.dirty = false;
            if (ledger.saved == null) {
                plans.add(ledger.plan);
            } else if (ledger.changed()) {
                progress.add(ledger.progress());
            }
        }
        dirty.clear();
        dueAt = NEVER;
        if (plans.isEmpty() && progress.isEmpty()) { // the write before this one had it all
            return;
        }
        // Those of a failed write come behind those that were found since, and a split must not come before one that it
        // names.
        plans.sort(Comparator.comparingInt(plan -> ledger(plan.id()).handle));
        changesUnsaved = 0;
        earliestAt = stopping ? now : now + limits.writeSpacing();
        GateWrite write = new GateWrite(plans, progress);
        writing = write;
        effects.persist(write);
    }

    private GateWrite endWriting() {
        GateWrite write = writing;
        if (write == null) {
            throw new IllegalStateException("no write is under way");
        }
        writing = null;
        return write;
    }

    private void fail(String why) {
        end(GateEnd.FAILED, why);
    }

    private void end(GateEnd how, String why) {
        if (writing == null && !dirty.isEmpty()) { // else a session that always dies young never gets on (I10)
            persist();
        }
        ended = true;
        effects.end(how, why);
    }

    private SplitLedger add(SplitPlan plan, @Nullable SplitProgress stored) {
        SplitLedger ledger = new SplitLedger(splits.size(), plan, stored);
        for (String before : plan.after()) {
            SplitLedger parent = ledger(before);
            parent.children = Arrays.copyOf(parent.children, parent.children.length + 1);
            parent.children[parent.children.length - 1] = ledger.handle;
            if (parent.saved == null || !parent.saved.done()) {
                ledger.parentsLeft++;
            }
        }
        splits.add(ledger);
        handles.put(plan.id(), ledger.handle);
        return ledger;
    }

    private void freeChildren(SplitLedger parent) {
        for (int child : parent.children) {
            SplitLedger ledger = splits.get(child);
            ledger.parentsLeft--;
            openIfFree(ledger);
        }
    }

    private void openIfFree(SplitLedger ledger) {
        if (ledger.opened || ledger.finished || ledger.saved == null || ledger.parentsLeft > 0 || stopping) {
            return;
        }
        ledger.opened = true;
        effects.open(ledger.handle, ledger.plan, ledger.frontier);
    }
}
