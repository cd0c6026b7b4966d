package io.tidegate.connector.jdbc;

import io.tidegate.connector.jdbc.RowChange.Kind;
import io.tidegate.connector.jdbc.RowChange.Tracked;
import io.tidegate.spi.Batch;
import io.tidegate.spi.Change;
import io.tidegate.spi.Check;
import io.tidegate.spi.Op;
import io.tidegate.spi.RejectedException;
import io.tidegate.spi.SinkContext;
import io.tidegate.spi.SinkSession;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Writes what was accepted in one transaction, with the ordinal of its last change.
 *
 * <ul>
 *   <li>J1 The first statement of each transaction locks the pipeline's fence row, and nothing else is sent before its answer
 *       is there. So a transaction of a dead session has either ended when ours gets the lock, and we see all of it or it
 *       left nothing; or it has not got the lock: then what the dead session sent is the lock's statement at most, and
 *       behind that nothing follows. A commit that is still under way to the server belongs to a transaction that still
 *       holds the lock. This is I2 for a server that may still execute a request.
 *   <li>J2 Each session raises the fence's epoch when it opens and finds its own in each transaction. A process that was
 *       stopped for an hour, and goes on, finds another and writes nothing.
 *   <li>J3 A change of a log whose ordinal is at or before the stored one of its lineage is at the target already: the two were
 *       committed together. It is left out. Snapshot reads have no ordinal and are never left out; what a dead session left
 *       of them is void, since an attempt at a snapshot dies with its session.
 *   <li>J4 A commit whose answer did not arrive is a failure. The next session reads what became of it.
 *   <li>J5 A refused change takes its whole transaction back. Batches before it are written again, and alone.
 * </ul>
 */
final class JdbcSession implements SinkSession {

    private enum State {
        OPEN,
        /** Something failed, and the connection's transaction is in whatever state; only {@link #close} may follow. */
        FAILED,
        CLOSED
    }

    private static final int CLOSE_MILLIS_MAX = 5_000;

    private final SinkContext context;
    private final JdbcConfig config;
    private final Dialect dialect;
    private final Connection connection;
    private final PositionTable positions;
    private final Tables tables;
    private final RowWriter rows;
    private final GroupWriter writer;
    private final RowReader reader;
    private final AppendRow appendRow;
    private final List<Batch> accepted = new ArrayList<>();
    private ChangeGroup group = new ChangeGroup();
    private final List<Tracked> truncates = new ArrayList<>();
    private State state = State.OPEN;

    JdbcSession(SinkContext context, JdbcConfig config, Dialect dialect, Opened opened) {
        this.context = context;
        this.config = config;
        this.dialect = dialect;
        this.connection = opened.connection();
        this.positions = opened.positions();
        this.tables = opened.tables();
        this.rows = dialect.rows(connection);
        this.writer = new GroupWriter(dialect, connection, rows);
        this.reader = new RowReader(dialect.cells());
        this.appendRow = new AppendRow(dialect.cells(), context.encoder());
    }

    /** What a session is opened with. */
    record Opened(Connection connection, PositionTable positions, Tables tables) {}

    /** Finds, makes or refuses the tables; writes nothing. */
    @Override
    public void accept(Batch batch) {
        checkOpen();
        for (int i = 0; i < batch.changes().size(); i++) {
            Change change = batch.changes().get(i);
            if (ignored(change)) {
                continue;
            }
            if (config.mode() == JdbcConfig.Mode.UPSERT && !change.table().keyed()) {
                throw new RejectedException(
                        batch,
                        i,
                        "the table " + change.table().display()
                                + " has no key, and 'mode: upsert' needs one. Give it a primary"
                                + " key, use 'mode: append', or leave it out");
            }
            try {
                tables.of(change.table());
            } catch (RuntimeException e) {
                state = State.FAILED;
                throw e;
            }
        }
        accepted.add(batch);
    }

    /** Messages are no rows: they are only appended. */
    private boolean ignored(Change change) {
        return change.op() == Op.MESSAGE && config.mode() == JdbcConfig.Mode.UPSERT;
    }

    @Override
    public void flush() {
        checkOpen();
        if (accepted.isEmpty()) {
            return;
        }
        try {
            write();
        } catch (RejectedException e) {
            takeBack(e);
            throw e;
        } catch (SQLException e) {
            state = State.FAILED;
            throw dialect.failures().of(e, "writing to " + config.login().url().display());
        } catch (RuntimeException e) {
            state = State.FAILED;
            throw e;
        }
        accepted.forEach(context::durable);
        accepted.clear();
    }

    private void write() throws SQLException {
        List<Tracked> fresh = new ArrayList<>();
        Map<String, byte[]> last = new HashMap<>();
        for (Batch batch : accepted) {
            collect(batch, fresh, last);
        }
        if (fresh.isEmpty()) {
            return;
        }
        group = new ChangeGroup();
        truncates.clear();
        writer.begin();
        connection.setAutoCommit(false);
        positions.lock();
        for (Tracked one : fresh) {
            apply(one);
        }
        writeGroup();
        writeTruncates();
        positions.store(last);
        commit(fresh.get(fresh.size() - 1));
        connection.setAutoCommit(true);
        positions.committed(last);
        writer.nothingToDo().forEach(context::nothingToDo);
    }

    /** Leaves out what the target has (J3). */
    private void collect(Batch batch, List<Tracked> fresh, Map<String, byte[]> last) {
        boolean ordered = !batch.lineage().isEmpty();
        byte[] durable = ordered ? positions.last(batch.lineage()) : null;
        for (int i = 0; i < batch.changes().size(); i++) {
            byte[] ordinal = batch.changes().get(i).origin().ordinal();
            if (ordered && ordinal.length > 0) {
                if (durable != null && Arrays.compareUnsigned(ordinal, durable) <= 0) {
                    continue;
                }
                byte[] before = last.put(batch.lineage(), ordinal);
                Check.invariant(
                        before == null || Arrays.compareUnsigned(before, ordinal) < 0,
                        "I4: a change of a log has an ordinal at or before the one before it");
            }
            fresh.add(new Tracked(batch, i));
        }
    }

    private void commit(Tracked newest) throws SQLException {
        try {
            connection.commit();
        } catch (SQLException e) {
            if (dialect.failures().kind(e) != SqlFailures.Kind.REFUSED) {
                throw e; // it may have happened (J4)
            }
            // A deferred constraint: which change it was is seen when fewer batches are tried at once.
            TableName table = tables.of(newest.change().table()).name();
            throw newest.rejected("at the commit: " + dialect.failures().reason(e, table));
        }
    }

    private void takeBack(RejectedException refusal) {
        int from = accepted.indexOf(refusal.batch());
        accepted.subList(from, accepted.size()).clear();
        try {
            connection.rollback();
            connection.setAutoCommit(true);
        } catch (SQLException e) {
            state = State.FAILED;
            throw dialect.failures().of(e, "taking back what was refused");
        }
    }

    private void apply(Tracked tracked) throws SQLException {
        Change change = tracked.change();
        if (ignored(change)) {
            return;
        }
        TargetTable table = tables.of(change.table());
        if (config.mode() == JdbcConfig.Mode.APPEND) {
            Object[] image = appendRow.of(change, tracked.batch().lineage(), table);
            add(new RowChange(tracked, table, Kind.APPEND, new Object[0], new Object[0], image));
        } else if (change.op() == Op.TRUNCATE) {
            truncate(tracked);
        } else {
            writeTruncates();
            add(reader.read(tracked, table));
        }
    }

    private void add(RowChange change) throws SQLException {
        if (!group.fits(change)) {
            writeGroup();
        }
        group.add(change);
        if (group.full() || group.alone()) {
            writeGroup();
        }
    }

    private void writeGroup() throws SQLException {
        if (!group.isEmpty()) {
            writer.write(group);
            group = new ChangeGroup();
        }
    }

    private void truncate(Tracked tracked) throws SQLException {
        // One that begins a snapshot again is no change of the source's: it cannot be refused.
        boolean marker = tracked.change().origin().attempt() > 0;
        switch (config.truncates()) {
            case IGNORE -> {}
            case APPLY -> addTruncate(tracked);
            case REJECT -> {
                if (!marker) {
                    throw tracked.rejected("'truncate: reject' refuses to empty the table "
                            + tables.of(tracked.change().table()).name().display());
                }
                addTruncate(tracked);
            }
        }
    }

    private void addTruncate(Tracked tracked) throws SQLException {
        writeGroup();
        truncates.add(tracked);
    }

    /** Truncates that follow each other are one step, as they may have been at the source: foreign keys look at all. */
    private void writeTruncates() throws SQLException {
        if (truncates.isEmpty()) {
            return;
        }
        List<TargetTable> emptied =
                truncates.stream().map(one -> tables.of(one.change().table())).toList();
        try {
            rows.truncate(emptied);
        } catch (SQLException e) {
            if (dialect.failures().kind(e) != SqlFailures.Kind.REFUSED) {
                throw e;
            }
            throw truncates
                    .get(0)
                    .rejected(dialect.failures().reason(e, emptied.get(0).name()));
        }
        truncates.clear();
    }

    @Override
    public void abort() {
        try {
            dialect.abort(connection);
        } catch (SQLException e) {
            // The socket is closed already: that was all it should do.
        }
    }

    @Override
    public void close() {
        if (state == State.CLOSED) {
            return;
        }
        boolean clean = state == State.OPEN;
        state = State.CLOSED;
        rows.close();
        if (!clean) {
            abort();
            return;
        }
        try {
            connection.setNetworkTimeout(Runnable::run, CLOSE_MILLIS_MAX);
            connection.close();
        } catch (SQLException e) {
            abort();
        }
    }

    private void checkOpen() {
        Check.invariant(state == State.OPEN, "I8: a session of the JDBC sink goes on after its end");
    }
}
