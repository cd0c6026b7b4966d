package io.tidegate.simulation.source;

import io.tidegate.simulation.data.Database;
import io.tidegate.simulation.data.LogChange;
import io.tidegate.simulation.data.LogRecord;
import io.tidegate.simulation.data.SimPosition;
import io.tidegate.simulation.data.Transaction;
import io.tidegate.simulation.stage.Fault;
import io.tidegate.simulation.stage.Feature;
import io.tidegate.simulation.stage.Seen;
import io.tidegate.simulation.stage.Stage;
import io.tidegate.spi.Change;
import io.tidegate.spi.ChangeOutput;
import io.tidegate.spi.SplitProgress;
import io.tidegate.spi.SplitReader;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Reads the log from a position on: all transactions that commit there or behind it. */
final class LogReader implements SplitReader {

    private static final int WINDOW = 10;
    private static final int PAUSE_ONE_IN = 10;
    private static final int KEEPALIVE_ONE_IN = 4;

    private final LogSource.World world;
    private final Stage stage;
    private final Database database;
    private final Calls calls;
    private final LogSession session;
    private final LogDecoder decoder;
    private final String id;
    /** The next transaction, and the next change in it. */
    private int next;

    private int change;
    private boolean first = true;
    /** The last position given, or begun at. */
    private long last;

    /** What is read. */
    record Opening(String id, SimPosition from, LogRecord record) {}

    LogReader(LogSource.World world, Calls calls, LogSession session, Opening opening) {
        this.world = world;
        this.stage = world.stage();
        this.database = world.database();
        this.calls = calls;
        this.session = session;
        this.id = opening.id();
        this.last = opening.from().at();
        this.next = database.indexFrom(last);
        this.decoder = new LogDecoder(world, opening);
    }

    @Override
    public State poll(ChangeOutput out, Duration maxWait) {
        calls.pass("poll", Fault.POLL_FAILS);
        calls.hang("poll", Fault.POLL_HANGS);
        boolean gave = false;
        while (!out.full() && available()) {
            if (gave && stage.luck().below(PAUSE_ONE_IN) == 0) {
                return State.MORE;
            }
            give(database.log().get(next), out);
            gave = true;
            calls.pass("poll", Fault.POLL_FAILS);
        }
        if (available()) {
            return State.MORE;
        }
        keepalive(out);
        if (!gave) {
            int seen = next;
            calls.waitForMore(maxWait, () -> database.log().size() > seen && available());
        }
        return State.DRY;
    }

    /** An upstream with a window gives no other transaction while too much is not confirmed. */
    private boolean available() {
        boolean open = change > 0 || !stage.has(Feature.WINDOW) || last <= database.confirmed() + WINDOW;
        return open && next < database.log().size();
    }

    /** Gives the next change of a transaction, or its end. */
    private void give(Transaction transaction, ChangeOutput out) {
        boolean markers = stage.has(Feature.COMMIT_MARKERS);
        if (change < transaction.changes().size()) {
            LogChange one = transaction.changes().get(change++);
            boolean end = change == transaction.changes().size();
            @Nullable Change decoded = decoder.decode(one);
            if (decoded != null) {
                calls.give(out, decoded, end && !markers ? decoder.position(transaction.endAt()) : null);
            } else if (end && !markers) {
                out.marker(decoder.position(transaction.endAt()));
            }
            if (!end && stage.has(Feature.KEEPALIVES) && stage.luck().below(KEEPALIVE_ONE_IN) == 0) {
                stage.saw(Seen.KEEPALIVE_INSIDE);
                keepaliveAt(transaction.commitAt(), true, out);
            }
            if (end && !markers) {
                end(transaction);
            }
        } else {
            out.marker(decoder.position(transaction.endAt()));
            end(transaction);
        }
    }

    private void end(Transaction transaction) {
        last = transaction.endAt();
        next++;
        change = 0;
    }

    private void keepalive(ChangeOutput out) {
        if (stage.has(Feature.KEEPALIVES)
                && stage.luck().below(KEEPALIVE_ONE_IN) == 0
                && next == database.log().size()) {
            boolean below = first && stage.luck().flip();
            stage.saw(below ? Seen.KEEPALIVE_BELOW : Seen.KEEPALIVE_BETWEEN);
            keepaliveAt(below ? database.confirmed() - 1 : database.end(), false, out);
            first = false;
        }
    }

    /** One inside of a transaction carries the start of its commit, and the first can lie below our position. */
    private void keepaliveAt(long at, boolean inside, ChangeOutput out) {
        if (!inside && at > last) {
            last = at;
            out.marker(decoder.position(at));
        }
    }

    @Override
    public void idle() {
        calls.pass("idle", Fault.IDLE_FAILS);
    }

    @Override
    public boolean acknowledge(SplitProgress durable) {
        world.stage().check(durable.id().equals(id), "I1", () -> durable + " is told to the reader of " + id);
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
