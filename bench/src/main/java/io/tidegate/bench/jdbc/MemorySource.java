package io.tidegate.bench.jdbc;

import io.tidegate.bench.process.ChildReport;
import io.tidegate.connector.postgres.position.Lsn;
import io.tidegate.connector.postgres.position.LsnPositions;
import io.tidegate.connector.postgres.position.PgOrigin;
import io.tidegate.connector.postgres.value.TextRow;
import io.tidegate.spi.Change;
import io.tidegate.spi.ChangeOutput;
import io.tidegate.spi.Checkpoint;
import io.tidegate.spi.Finding;
import io.tidegate.spi.Op;
import io.tidegate.spi.Position;
import io.tidegate.spi.Positions;
import io.tidegate.spi.Preparation;
import io.tidegate.spi.Replan;
import io.tidegate.spi.Source;
import io.tidegate.spi.SourceContext;
import io.tidegate.spi.SourceRecord;
import io.tidegate.spi.SourceSession;
import io.tidegate.spi.SplitPlan;
import io.tidegate.spi.SplitReader;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Gives changes that were made before, as the log of PostgreSQL would: positions, ordinals and values are those of its source.
 * Ends after the last one.
 */
final class MemorySource implements Source {

    private static final int CHANGES_PER_TRANSACTION = 1_000;
    private static final long COMMITTED_AT = 1_700_000_000_000_000L;
    private static final long LOG_BYTES_PER_TRANSACTION = 1 << 20;
    private static final int CHANGE_BYTES = 200;

    private final List<Change> changes;
    private volatile long firstAt;

    /** Made with all changes ready. */
    MemorySource(TargetRows rows, TargetChanges changes) {
        Change[] made = new Change[changes.size()];
        PgOrigin.Transaction transaction = transaction(0);
        for (int i = 0; i < made.length; i++) {
            int number = i % CHANGES_PER_TRANSACTION;
            if (number == 0) {
                transaction = transaction(i / CHANGES_PER_TRANSACTION);
            }
            Lsn at = new Lsn(transaction.commitLsn().value() - CHANGES_PER_TRANSACTION + number);
            made[i] = change(rows, changes, i, new PgOrigin.Log(transaction, at, number + 1, 0, false));
        }
        this.changes = List.of(made);
    }

    private static PgOrigin.Transaction transaction(int number) {
        return new PgOrigin.Transaction(
                number + 1L, new Lsn((number + 1) * LOG_BYTES_PER_TRANSACTION), COMMITTED_AT + number, null);
    }

    private static Change change(TargetRows rows, TargetChanges changes, int index, PgOrigin origin) {
        Op op = changes.op(index);
        TextRow before = op == Op.DELETE ? rows.keyRow(changes.id(index)) : null;
        TextRow after = op == Op.DELETE ? null : rows.row(changes.id(index), changes.version(index));
        int length = (before == null ? 0 : before.data().length) + (after == null ? 0 : after.data().length);
        return new Change(op, rows.shape().schema(), before, after, origin, CHANGE_BYTES + length);
    }

    /** When the first change was given; 0: not yet. */
    long firstAt() {
        return firstAt;
    }

    @Override
    public Positions positions() {
        return new LsnPositions();
    }

    @Override
    public String system() {
        return "postgres";
    }

    @Override
    public List<Finding> check(Checkpoint durable) {
        return List.of();
    }

    @Override
    public SourceSession open(SourceContext context) {
        return new Session();
    }

    @Override
    public Removal removal(Checkpoint durable) {
        throw new UnsupportedOperationException("there is nothing to remove");
    }

    private final class Session implements SourceSession {

        @Override
        public Preparation prepare(Checkpoint durable) {
            if (durable.isEmpty()) {
                SplitPlan log = new SplitPlan("log", List.of(), Lsn.ZERO, "", "bench");
                return new Preparation.Write(
                        new Replan(SourceRecord.EMPTY.with("changes", "in memory"), Set.of(), List.of(log)));
            }
            return new Preparation.Ready(true, 1);
        }

        @Override
        public SplitReader open(SplitPlan plan, @Nullable Position from) {
            if (!Lsn.ZERO.equals(from)) {
                throw new IllegalStateException("the changes are read from the first one on, not from " + from);
            }
            return new Reader();
        }

        @Override
        public void abort() {}

        @Override
        public void close() {}
    }

    private final class Reader implements SplitReader {

        private int next;

        @Override
        public State poll(ChangeOutput out, Duration maxWait) {
            if (next == 0) {
                firstAt = ChildReport.now();
            }
            while (next < changes.size()) {
                if (out.full()) {
                    return State.MORE;
                }
                Change change = changes.get(next++);
                out.change(change, null);
                if (next % CHANGES_PER_TRANSACTION == 0 || next == changes.size()) {
                    PgOrigin.Log origin = (PgOrigin.Log) change.origin();
                    out.marker(new Lsn(origin.transaction().commitLsn().value() + 1));
                }
            }
            return State.FINISHED;
        }

        @Override
        public void abort() {}

        @Override
        public void close() {}
    }
}
