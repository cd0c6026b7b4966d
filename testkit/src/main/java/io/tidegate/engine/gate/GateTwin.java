package io.tidegate.engine.gate;

import java.util.List;

/**
 * Copies the objects of the core, so that an explorer can take two ways from one state. It lives in the core's package to
 * keep the copy out of the rules; {@link GateFields} says how each field is treated, and a test holds both to it.
 */
public final class GateTwin {

    private GateTwin() {}

    /** The same state again; its effects go to {@code effects}. */
    public static Gate of(Gate gate, GateEffects effects) {
        Gate twin = new Gate(gate.session, gate.limits, gate.order, List.of(), gate.now, effects);
        for (SplitLedger ledger : gate.splits) {
            twin.splits.add(of(ledger));
        }
        for (SplitLedger ledger : gate.dirty) {
            twin.dirty.add(twin.splits.get(ledger.handle));
        }
        twin.handles = gate.handles;
        twin.writing = gate.writing;
        twin.batchesInFlight = gate.batchesInFlight;
        twin.bytesInFlight = gate.bytesInFlight;
        twin.acknowledgementsDue = gate.acknowledgementsDue;
        twin.failures = gate.failures;
        twin.changesUnsaved = gate.changesUnsaved;
        twin.dueAt = gate.dueAt;
        twin.earliestAt = gate.earliestAt;
        twin.stopAt = gate.stopAt;
        twin.stopping = gate.stopping;
        twin.ended = gate.ended;
        return twin;
    }

    public static Batcher of(Batcher batcher) {
        Batcher twin = new Batcher();
        twin.sequence = batcher.sequence;
        twin.changes = batcher.changes;
        twin.bytes = batcher.bytes;
        twin.resume = batcher.resume;
        return twin;
    }

    private static SplitLedger of(SplitLedger ledger) {
        SplitLedger twin = new SplitLedger(ledger.handle, ledger.plan, ledger.saved);
        twin.parentsLeft = ledger.parentsLeft;
        twin.children = ledger.children;
        twin.tracked = ledger.tracked;
        twin.frontier = ledger.frontier;
        twin.acked = ledger.acked;
        twin.opened = ledger.opened;
        twin.finished = ledger.finished;
        twin.dirty = ledger.dirty;
        twin.head = ledger.head;
        twin.next = ledger.next;
        twin.resume = ledger.resume.clone();
        twin.changes = ledger.changes.clone();
        return twin;
    }
}
