package io.tidegate.connector.postgres.snapshot;

import io.tidegate.connector.postgres.pgoutput.RowLookup;
import io.tidegate.connector.postgres.position.Lsn;
import io.tidegate.connector.postgres.server.Publication.Published;
import io.tidegate.connector.postgres.server.Sql;
import io.tidegate.connector.postgres.server.SqlSession;
import io.tidegate.connector.postgres.value.TableShape;
import io.tidegate.connector.postgres.value.TextRow;
import io.tidegate.connector.postgres.wire.PgErrors;
import io.tidegate.spi.Column;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.TableSchema;
import io.tidegate.spi.TidegateException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** Reads rows by COPY, as a snapshot does, so that the texts are those of the log. */
public final class CurrentRows implements RowLookup {

    /** Of 20 ms each, so that answers to the server are not late. */
    private static final int WAITS_MAX = 500;

    private final Supplier<SqlSession> control;
    private final SnapshotTables tables;
    private final Map<Integer, Target> targets = new HashMap<>();

    /** The last transaction that was seen to be visible; 0: none. */
    private long visibleXid;

    /**
     * Asks over a session that can change from one question to the next.
     *
     * @param control gives a session with pinned settings, in autocommit mode
     */
    public CurrentRows(Supplier<SqlSession> control, SnapshotTables tables) {
        this.control = control;
        this.tables = tables;
    }

    @Override
    public Found read(TableShape table, List<Integer> columns, List<byte[]> key, long xid) {
        SqlSession session = control.get();
        if (xid != visibleXid) {
            awaitVisible(session, xid);
            visibleXid = xid;
        }
        // Whether the name still is this table's is asked behind each reading.
        Target now = targets.computeIfAbsent(table.oid(), oid -> target(session, table));
        byte[] line;
        try {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            session.driver().getCopyAPI().copyOut(statement(now, table, new Wanted(columns, key)), out);
            line = out.toByteArray();
        } catch (SQLException e) {
            if (ChunkReader.GONE.contains(String.valueOf(e.getSQLState()))) {
                throw changed(table);
            }
            throw PgErrors.of(
                    e,
                    PgErrors.Doing.ASKING,
                    "reading a row of " + table.schema().display());
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e); // an array does not fail
        }
        Lsn at = session.one(
                        "SELECT CASE WHEN to_regclass(?)::oid::bigint = ? THEN pg_current_wal_insert_lsn()::text END",
                        row -> Optional.ofNullable(row.getString(1)),
                        now.published().sql(),
                        now.published().oid())
                .map(Lsn::parse)
                .orElseThrow(() -> changed(table));
        if (line.length == 0) {
            return new Found(false, Map.of(), at);
        }
        int[] offsets = new int[columns.size()];
        int[] lengths = new int[columns.size()];
        CopyText.split(line, offsets, lengths);
        Map<Integer, byte[]> texts = new HashMap<>();
        for (int i = 0; i < offsets.length; i++) {
            if (lengths[i] != TextRow.NULL) {
                texts.put(columns.get(i), Arrays.copyOfRange(line, offsets[i], offsets[i] + lengths[i]));
            }
        }
        return new Found(true, texts, at);
    }

    private static TidegateException changed(TableShape table) {
        return new TidegateException(
                ErrorCode.TABLE_REWRITTEN, table.schema().display() + " was changed while a row of it had to be read");
    }

    /** A transaction is in the log before others see it, with synchronous replication long before. */
    private static void awaitVisible(SqlSession session, long xid) {
        long next = session.one("SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint", row -> row.getLong(1));
        long whole = (next & ~0xFFFF_FFFFL) | xid;
        long full = whole > next ? whole - (1L << 32) : whole;
        await(
                session,
                "SELECT pg_visible_in_snapshot(CAST(? AS xid8), pg_current_snapshot())",
                Long.toString(full),
                "a transaction that is committed to be seen by others");
    }

    /** The server sleeps in between. */
    private static void await(SqlSession session, String question, String parameter, String what) {
        for (int i = 0; i < WAITS_MAX; i++) {
            if (session.one(question, row -> row.getBoolean(1), parameter)) {
                return;
            }
            session.one("SELECT pg_sleep(0.02)", row -> "");
        }
        throw new TidegateException(
                ErrorCode.SOURCE_UNAVAILABLE, "waited in vain for " + what + ": is a synchronous standby away?");
    }

    private record Wanted(List<Integer> columns, List<byte[]> key) {}

    private record Target(Published published, boolean partitioned) {}

    private Target target(SqlSession session, TableShape table) {
        Published published = tables.find(session, Integer.toUnsignedLong(table.oid()));
        boolean partitioned = session.find(
                        "SELECT relkind = 'p' FROM pg_class WHERE oid::bigint = ?",
                        row -> row.getBoolean(1),
                        published.oid())
                .orElseThrow(() -> changed(table));
        return new Target(published, partitioned);
    }

    private static String statement(Target target, TableShape table, Wanted wanted) {
        List<Integer> columns = wanted.columns();
        List<byte[]> key = wanted.key();
        Published now = target.published();
        TableSchema schema = table.schema();
        List<Column> all = schema.columns();
        List<String> conditions = new ArrayList<>();
        for (int i = 0; i < key.size(); i++) {
            String column = all.get(schema.key().get(i)).name();
            conditions.add(Sql.name(column) + " = " + Sql.text(new String(key.get(i), StandardCharsets.UTF_8)));
        }
        if (now.rowFilter() != null) {
            conditions.add("(" + now.rowFilter() + ")");
        }
        String names = String.join(
                ", ", columns.stream().map(i -> Sql.name(all.get(i).name())).toList());
        return "COPY (SELECT " + names + " FROM " + (target.partitioned() ? "" : "ONLY ") + now.sql() + " WHERE "
                + String.join(" AND ", conditions) + ") TO STDOUT";
    }
}
