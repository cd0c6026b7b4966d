package io.tidegate.connector.postgres.snapshot;

import io.tidegate.connector.postgres.position.PgOrigin;
import io.tidegate.connector.postgres.server.Connections;
import io.tidegate.connector.postgres.server.Publication.Published;
import io.tidegate.connector.postgres.server.Sql;
import io.tidegate.connector.postgres.server.SqlSession;
import io.tidegate.connector.postgres.value.TableShape;
import io.tidegate.connector.postgres.wire.PgErrors;
import io.tidegate.spi.Change;
import io.tidegate.spi.ChangeOutput;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.Op;
import io.tidegate.spi.SplitReader;
import io.tidegate.spi.TidegateException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.postgresql.copy.CopyOut;

/**
 * Reads the rows of one chunk by COPY, under the snapshot of the attempt. The columns and the row filter are those of the
 * stream, so that a row has the same value from both (I16).
 */
public final class ChunkReader implements SplitReader {

    /** Objects of a change beside its text: the row, its arrays. */
    private static final int OVERHEAD = 96;

    private static final int OVERHEAD_COLUMN = 8;
    /** A table, or a column, that is not there any more, or under another name. */
    static final Set<String> GONE = Set.of("42P01", "42703");

    private final SqlSession session;
    private final TableShape shape;
    private final PgOrigin.Snapshot origin;
    private final CopyOut copy;
    private final int maxRowBytes;
    private final LongSupplier nanoTime;
    private final AtomicLong rows;

    /** What the readers of an attempt share. */
    public record Attempt(
            SnapshotTables tables,
            SnapshotHolder holder,
            SnapshotMeter meter,
            int maxRowBytes,
            LongSupplier nanoTime) {}

    private ChunkReader(SqlSession session, TableShape shape, CopyOut copy, Attempt attempt, AtomicLong rows) {
        this.rows = rows;
        this.session = session;
        this.shape = shape;
        this.copy = copy;
        this.origin = attempt.holder().origin();
        this.maxRowBytes = attempt.maxRowBytes();
        this.nanoTime = attempt.nanoTime();
    }

    public static ChunkReader open(Connections connections, Attempt attempt, Chunk chunk) {
        SqlSession session = connections.patient("reading the snapshot");
        try {
            SnapshotHolder.begin(session, attempt.holder().snapshot());
            String leaf = lock(session, chunk);
            Published table = attempt.tables().find(session, chunk.table());
            TableShape shape = attempt.tables().shape(session, table);
            if (chunk.range() instanceof Chunk.Keys keys) {
                KeyBounds.check(session, leaf, keys);
                // A range is a small part of the rows; statistics that are old must not make the server read all of
                // them.
                session.execute("SET LOCAL enable_seqscan = off");
            }
            CopyOut copy = session.driver().getCopyAPI().copyOut(statement(table, leaf, chunk));
            return new ChunkReader(
                    session, shape, copy, attempt, attempt.meter().rows(chunk.table()));
        } catch (SQLException e) {
            session.close();
            if (GONE.contains(String.valueOf(e.getSQLState()))) {
                throw rewritten("a column of a table was renamed or dropped since the snapshot was taken");
            }
            throw PgErrors.of(e, PgErrors.Doing.ASKING, "reading the snapshot");
        } catch (RuntimeException e) {
            session.close();
            throw e;
        }
    }

    /** Holds the relation, then sees that its file is still the one that the snapshot knows (rule 6). */
    private static String lock(SqlSession session, Chunk chunk) {
        String name = session.find(
                        "SELECT n.nspname, c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
                                + " WHERE c.oid::bigint = ?",
                        row -> Sql.name(row.getString(1), row.getString(2)),
                        chunk.leaf())
                .orElseThrow(() -> rewritten("relation " + chunk.leaf() + " is not there in the snapshot"));
        try {
            // As LOCK TABLE does, but the right to read any column is enough for it.
            session.execute("SELECT FROM ONLY " + name + " LIMIT 0");
        } catch (TidegateException e) {
            if (e.getCause() instanceof SQLException cause && GONE.contains(String.valueOf(cause.getSQLState()))) {
                throw rewritten(name + " was dropped or renamed since the snapshot was taken");
            }
            throw e;
        }
        // The name was looked up as it was in the snapshot, and is locked as it is now.
        boolean named = session.one(
                "SELECT coalesce(to_regclass(?)::oid::bigint, 0) = ?", row -> row.getBoolean(1), name, chunk.leaf());
        if (!named) {
            throw rewritten(name + " is another table than when the snapshot was taken");
        }
        boolean same = session.one(
                "SELECT relfilenode::bigint = coalesce(pg_relation_filenode(oid)::bigint, -1) FROM pg_class"
                        + " WHERE oid::bigint = ?",
                row -> row.getBoolean(1),
                chunk.leaf());
        if (!same) {
            throw rewritten(
                    name + " was rewritten since the snapshot was taken (TRUNCATE, VACUUM FULL, CLUSTER or ALTER"
                            + " TABLE), and reads as empty under it");
        }
        return name;
    }

    private static TidegateException rewritten(String message) {
        return new TidegateException(ErrorCode.TABLE_REWRITTEN, message);
    }

    private static String statement(Published table, String leaf, Chunk chunk) {
        List<String> conditions = new ArrayList<>();
        if (!chunk.range().condition().isEmpty()) {
            conditions.add(chunk.range().condition());
        }
        if (table.rowFilter() != null) {
            conditions.add("(" + table.rowFilter() + ")");
        }
        String columns =
                String.join(", ", table.columns().stream().map(Sql::name).toList());
        return "COPY (SELECT " + columns + " FROM ONLY " + leaf
                + (conditions.isEmpty() ? "" : " WHERE " + String.join(" AND ", conditions)) + ") TO STDOUT";
    }

    /** Waits for a row as long as the server takes to find one; {@code maxWait} is looked at between rows. */
    @Override
    public State poll(ChangeOutput out, Duration maxWait) {
        long start = nanoTime.getAsLong();
        int given = 0;
        try {
            while (!out.full()) {
                byte[] line = copy.readFromCopy(true);
                if (line == null) {
                    // Given only after the server said that the COPY is complete; an error is an exception.
                    return State.FINISHED;
                }
                row(line, out);
                given++;
                if (nanoTime.getAsLong() - start >= maxWait.toNanos()) {
                    break;
                }
            }
            return State.MORE;
        } catch (SQLException e) {
            throw PgErrors.of(
                    e, PgErrors.Doing.ASKING, "reading " + shape.schema().display() + " for the snapshot");
        } finally {
            rows.addAndGet(given);
        }
    }

    /** The limit counts what the log's message of the same row would hold: the text without COPY's escapes. */
    private void row(byte[] line, ChangeOutput out) {
        int columns = shape.schema().columns().size();
        int[] offsets = new int[columns];
        int[] lengths = new int[columns];
        int size = line.length + OVERHEAD + OVERHEAD_COLUMN * columns;
        CopyText.split(line, offsets, lengths);
        long bytes = 0;
        for (int length : lengths) {
            bytes += Math.max(0, length);
        }
        if (bytes > maxRowBytes) {
            throw new TidegateException(
                    ErrorCode.ROW_TOO_LARGE,
                    "a row of " + shape.schema().display() + " is " + bytes + " bytes long, more than max_row_bytes ("
                            + maxRowBytes + ") allows");
        }
        out.change(new Change(Op.READ, shape.schema(), null, shape.row(line, offsets, lengths), origin, size), null);
    }

    @Override
    public void abort() {
        session.abort();
    }

    /** Cuts the connection: the driver would else read the rest of a COPY. */
    @Override
    public void close() {
        if (copy.isActive()) {
            session.abort();
        }
        session.close();
    }
}
