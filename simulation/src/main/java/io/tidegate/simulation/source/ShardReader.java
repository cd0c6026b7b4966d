package io.tidegate.simulation.source;

import io.tidegate.simulation.data.LogChange;
import io.tidegate.simulation.data.Shards;
import io.tidegate.simulation.data.SimOrigin;
import io.tidegate.simulation.data.SimPosition;
import io.tidegate.simulation.data.SimRow;
import io.tidegate.simulation.data.Tables;
import io.tidegate.simulation.stage.Fault;
import io.tidegate.simulation.stage.Seen;
import io.tidegate.spi.Change;
import io.tidegate.spi.ChangeOutput;
import io.tidegate.spi.Op;
import io.tidegate.spi.SplitPlan;
import io.tidegate.spi.SplitProgress;
import io.tidegate.spi.SplitReader;
import java.time.Duration;
import java.util.List;

/** Reads one shard; each record carries its own position. At the end of a closed one it says which children follow. */
final class ShardReader implements SplitReader {

    private static final int BYTES = 20;
    private static final int PAUSE_ONE_IN = 6;

    private final Calls calls;
    private final ShardSession session;
    private final Shards.Shard shard;
    private long next;

    /** What is read. */
    record Opening(Shards.Shard shard, long from) {}

    ShardReader(ShardSource.World world, Calls calls, ShardSession session, Opening opening) {
        this.calls = calls;
        this.session = session;
        this.shard = opening.shard();
        this.next = opening.from();
        world.shards().checkThere(shard, next);
    }

    @Override
    public State poll(ChangeOutput out, Duration maxWait) {
        calls.pass("poll", Fault.POLL_FAILS);
        calls.hang("poll", Fault.POLL_HANGS);
        boolean gave = false;
        while (!out.full() && next < shard.records().size()) {
            if (gave && calls.stage.luck().below(PAUSE_ONE_IN) == 0) {
                return State.MORE;
            }
            LogChange record = shard.records().get((int) next++);
            calls.give(out, change(record), SimPosition.of(next));
            gave = true;
            calls.pass("poll", Fault.POLL_FAILS);
        }
        if (next < shard.records().size()) {
            return State.MORE;
        }
        if (shard.closed()) {
            return finish(out);
        }
        if (!gave) {
            long seen = next;
            calls.waitForMore(maxWait, () -> shard.closed() || shard.records().size() > seen);
        }
        return State.DRY;
    }

    private State finish(ChangeOutput out) {
        List<SplitPlan> found = session.find(shard, Seen.CHILD_FOUND_BY_READER);
        if (!found.isEmpty()) {
            out.planned(found);
        }
        calls.stage.saw(Seen.SHARD_DONE);
        return State.FINISHED;
    }

    private Change change(LogChange record) {
        SimOrigin origin = new SimOrigin(record.number(), shard.id(), record.commitAt(), 0, false);
        SimRow row = new SimRow(record.key(), record.number(), record.number(), false);
        return record.op() == Op.DELETE
                ? new Change(Op.DELETE, Tables.schema(0), SimRow.key(record.key()), null, origin, BYTES)
                : new Change(record.op(), Tables.schema(0), null, row, origin, BYTES);
    }

    @Override
    public void idle() {
        calls.pass("idle", Fault.IDLE_FAILS);
    }

    @Override
    public boolean acknowledge(SplitProgress durable) {
        return session.acknowledge(durable);
    }

    @Override
    public void abort() {
        calls.abort();
    }

    @Override
    public void close() {
        calls.closeReader();
        session.readerClosed();
    }
}
