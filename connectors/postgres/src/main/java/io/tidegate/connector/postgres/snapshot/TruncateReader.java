package io.tidegate.connector.postgres.snapshot;

import io.tidegate.connector.postgres.position.PgOrigin;
import io.tidegate.spi.Change;
import io.tidegate.spi.ChangeOutput;
import io.tidegate.spi.Op;
import io.tidegate.spi.SplitReader;
import io.tidegate.spi.TableSchema;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** Says that what earlier attempts delivered of these tables is void: a truncate of each (rule 9). */
public final class TruncateReader implements SplitReader {

    private static final int SIZE = 64;

    private final Deque<TableSchema> left;
    private final PgOrigin origin;

    public TruncateReader(List<TableSchema> tables, PgOrigin origin) {
        left = new ArrayDeque<>(tables);
        this.origin = origin;
    }

    @Override
    public State poll(ChangeOutput out, Duration maxWait) {
        while (!left.isEmpty() && !out.full()) {
            out.change(new Change(Op.TRUNCATE, left.remove(), null, null, origin, SIZE), null);
        }
        return left.isEmpty() ? State.FINISHED : State.MORE;
    }

    @Override
    public void abort() {}

    @Override
    public void close() {}
}
