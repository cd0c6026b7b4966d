package io.tidegate.engine.gate;

import io.tidegate.spi.Position;
import io.tidegate.spi.SplitPlan;
import io.tidegate.spi.SplitProgress;
import java.util.function.LongConsumer;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Gives everything of a gate or a batcher that decides its future, as numbers, so that an explorer knows equal states.
 * Times count relative to now, waits and counters up to where more of them makes no difference. A field that was
 * forgotten here would make an exploration blind without a word: {@link GateFields} and its test guard against it.
 */
public final class GateDigest {

    private static final long NO_TIME = -1;
    private static final int DOUBLINGS_MAX = 16;

    private final LongConsumer out;
    private final ToLongFunction<Position> number;

    /**
     * @param out takes the numbers, in order
     * @param number tells positions apart; positive
     */
    public GateDigest(LongConsumer out, ToLongFunction<Position> number) {
        this.out = out;
        this.number = number;
    }

    public void add(Gate gate) {
        out.accept(flags(gate.ended, gate.stopping));
        if (gate.ended) { // whatever it holds, it does nothing any more
            return;
        }
        out.accept(gate.splits.size());
        for (SplitLedger ledger : gate.splits) {
            add(ledger);
        }
        out.accept(gate.dirty.size());
        for (SplitLedger ledger : gate.dirty) {
            out.accept(ledger.handle);
        }
        add(gate, gate.writing);
        out.accept(gate.batchesInFlight);
        out.accept(gate.bytesInFlight);
        out.accept(gate.acknowledgementsDue);
        out.accept(Math.min(gate.limits.retryMax(), gate.limits.retryMin() << Math.min(gate.failures, DOUBLINGS_MAX)));
        out.accept(Math.min(gate.changesUnsaved, gate.limits.changesPerWrite()));
        out.accept(gate.dueAt == Gate.NEVER ? NO_TIME : Math.max(0, gate.dueAt - gate.now));
        out.accept(gate.earliestAt <= gate.now ? 0 : gate.earliestAt - gate.now);
        out.accept(gate.stopAt == Gate.NEVER ? NO_TIME : gate.stopAt - gate.now);
    }

    public void add(Batcher batcher) {
        out.accept(batcher.sequence);
        out.accept(batcher.changes);
        out.accept(batcher.bytes);
        out.accept(place(batcher.resume));
    }

    public void add(@Nullable SplitProgress progress) {
        out.accept(progress == null ? 0 : 1 + 2 * place(progress.position()) + (progress.done() ? 1 : 0));
    }

    @SuppressWarnings("ReferenceEquality") // the gate itself counts acknowledgements by identity
    private void add(SplitLedger ledger) {
        out.accept(flags(ledger.opened, ledger.finished, ledger.dirty, ledger.acked == ledger.saved));
        out.accept(ledger.parentsLeft);
        out.accept(place(ledger.tracked));
        out.accept(place(ledger.frontier));
        add(ledger.saved);
        add(ledger.acked);
        out.accept(ledger.head);
        out.accept(ledger.next);
        for (int i = ledger.head; i != ledger.next; i++) {
            out.accept(place(ledger.resume[ledger.slot(i)]));
            out.accept(ledger.changes[ledger.slot(i)]);
        }
    }

    private void add(Gate gate, @Nullable GateWrite write) {
        if (write == null) {
            out.accept(NO_TIME);
            return;
        }
        out.accept(write.planned().size());
        for (SplitPlan plan : write.planned()) {
            out.accept(gate.handles.getOrDefault(plan.id(), -1));
        }
        for (SplitProgress progress : write.progress()) {
            out.accept(gate.handles.getOrDefault(progress.id(), -1));
            add(progress);
        }
    }

    private long place(@Nullable Position position) {
        return position == null ? 0 : number.applyAsLong(position);
    }

    private static long flags(boolean... flags) {
        long bits = 1;
        for (boolean flag : flags) {
            bits = bits << 1 | (flag ? 1 : 0);
        }
        return bits;
    }
}
