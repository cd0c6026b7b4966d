package io.tidegate.connector.postgres.snapshot;

import io.tidegate.connector.postgres.position.PgOrigin;
import io.tidegate.spi.Change;
import io.tidegate.spi.ChangeOutput;
import io.tidegate.spi.Op;
import io.tidegate.spi.SplitReader;
import io.tidegate.spi.TableSchema;
import java.time.Duration;

/** Says that what earlier attempts delivered of a table is void: a truncate (rule 9). */
public final class TruncateReader implements SplitReader {

    private static final int SIZE = 64;

    private final TableSchema table;
    private final PgOrigin origin;
    private boolean given;

    public TruncateReader(TableSchema table, PgOrigin origin) {
        this.table = table;
        this.origin = origin;
    }

    @Override
    public State poll(ChangeOutput out, Duration maxWait) {
        if (!given && out.full()) {
            return State.MORE;
        }
        if (!given) {
            given = true;
            out.change(new Change(Op.TRUNCATE, table, null, null, origin, SIZE), null);
        }
        return State.FINISHED;
    }

    @Override
    public void abort() {}

    @Override
    public void close() {}
}
