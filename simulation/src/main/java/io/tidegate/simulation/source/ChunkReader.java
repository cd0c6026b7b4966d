package io.tidegate.simulation.source;

import io.tidegate.simulation.check.Ledger;
import io.tidegate.simulation.data.Cells;
import io.tidegate.simulation.data.SimOrigin;
import io.tidegate.simulation.data.SimRow;
import io.tidegate.simulation.data.Tables;
import io.tidegate.simulation.stage.Fault;
import io.tidegate.spi.Change;
import io.tidegate.spi.ChangeOutput;
import io.tidegate.spi.Op;
import io.tidegate.spi.SplitProgress;
import io.tidegate.spi.SplitReader;
import java.time.Duration;
import java.util.Iterator;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;

/** Reads one chunk of its session's snapshot, or gives the marker that empties a table. */
final class ChunkReader implements SplitReader {

    private static final int ROW_BYTES = 20;
    private static final int PAUSE_ONE_IN = 3;

    private final Calls calls;
    private final LogSession session;
    private final Opening opening;
    private final Iterator<Map.Entry<Integer, Cells>> rows;
    private boolean emptied;

    /** What is read. */
    record Opening(String id, Chunk chunk, NavigableMap<Integer, Cells> rows, long h) {}

    ChunkReader(LogSource.World world, Calls calls, LogSession session, Opening opening) {
        this.calls = calls;
        this.session = session;
        this.opening = opening;
        this.rows = opening.rows().entrySet().iterator();
        world.checks()
                .ledger()
                .expect(
                        opening.id(),
                        opening.chunk().kind() == Chunk.Kind.EMPTY
                                ? Set.of(Ledger.EMPTIED)
                                : opening.rows().keySet());
    }

    @Override
    public State poll(ChangeOutput out, Duration maxWait) {
        calls.pass("poll", Fault.POLL_FAILS);
        calls.hang("poll", Fault.POLL_HANGS);
        Chunk chunk = opening.chunk();
        if (chunk.kind() == Chunk.Kind.EMPTY && !emptied) {
            emptied = true;
            calls.give(out, new Change(Op.TRUNCATE, Tables.schema(chunk.table()), null, null, origin(), 1), null);
        }
        while (rows.hasNext() && !out.full()) {
            if (calls.stage.luck().below(PAUSE_ONE_IN) == 0) {
                calls.slowly();
                return State.MORE;
            }
            Map.Entry<Integer, Cells> row = rows.next();
            SimRow image = new SimRow(
                    row.getKey(), row.getValue().value(), row.getValue().big(), false);
            calls.give(out, new Change(Op.READ, Tables.schema(chunk.table()), null, image, origin(), ROW_BYTES), null);
            calls.pass("poll", Fault.POLL_FAILS);
        }
        return rows.hasNext() ? State.MORE : State.FINISHED;
    }

    private SimOrigin origin() {
        return new SimOrigin(0, opening.id(), opening.h(), opening.chunk().attempt(), false);
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
