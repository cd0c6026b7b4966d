package io.tidegate.connector.postgres.snapshot;

import io.tidegate.connector.postgres.server.Publication.Published;
import io.tidegate.connector.postgres.server.Relation;
import io.tidegate.connector.postgres.server.SqlSession;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.SplitPlan;
import io.tidegate.spi.TidegateException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * One table, cut into chunks: by ranges of the key's leading column where rows lie about in its order, else by pages (rule
 * 7). Ranges of another key would read most pages many times. Immutable.
 */
public final class TableChunks {

    /** Chunks grow beyond the size that was asked for when there would be more of them in a table. */
    static final long CHUNKS_MAX = 4_000;

    private static final String UNDEFINED_TABLE = "42P01";

    private final Published table;
    private final List<Chunk> chunks;
    private final boolean keyed;
    private final String identity;

    private TableChunks(Published table, List<Chunk> chunks, boolean keyed, String identity) {
        this.table = table;
        this.chunks = List.copyOf(chunks);
        this.keyed = keyed;
        this.identity = identity;
    }

    /**
     * Cuts a table as it is now.
     *
     * @param leaves the relations that hold its rows
     */
    public static TableChunks of(SqlSession control, Published table, List<Relation> leaves, long chunkBytes) {
        try {
            return cut(control, table, leaves, chunkBytes);
        } catch (TidegateException e) {
            if (e.getCause() instanceof SQLException cause && UNDEFINED_TABLE.equals(cause.getSQLState())) {
                throw new TidegateException(
                        ErrorCode.TABLE_REWRITTEN,
                        table.display() + " or a partition of it went while its snapshot was planned",
                        e);
            }
            throw e;
        }
    }

    private static TableChunks cut(SqlSession control, Published table, List<Relation> leaves, long chunkBytes) {
        List<String> key = SnapshotTables.key(control, table);
        long pageBytes = control.one("SHOW block_size", row -> row.getLong(1));
        Map<Relation, Long> pages = new LinkedHashMap<>();
        leaves.forEach(leaf -> pages.put(leaf, leaf.select() ? bytes(control, leaf) / pageBytes : 0));
        long total = pages.values().stream().mapToLong(Long::longValue).sum();
        long step = Math.max(Math.max(1, chunkBytes / pageBytes), divideUp(total, CHUNKS_MAX));
        List<Chunk> chunks = new ArrayList<>();
        boolean keyed = !key.isEmpty() && SnapshotTables.comparesByCatalogue(control, table, key);
        for (Relation leaf : leaves) {
            List<Chunk.Range> ranges = ranges(control, leaf, key, pages.getOrDefault(leaf, 0L), step);
            keyed &= ranges.size() == 1 || ranges.get(0) instanceof Chunk.Keys;
            ranges.forEach(range -> chunks.add(new Chunk(table.oid(), leaf.oid(), range)));
        }
        return new TableChunks(table, chunks, keyed, TableIdentity.of(control, table, key, leaves));
    }

    private static List<Chunk.Range> ranges(
            SqlSession control, Relation leaf, List<String> key, long pages, long step) {
        if (pages <= step) {
            return List.of(Chunk.Pages.ALL);
        }
        if (!key.isEmpty()) {
            List<Chunk.Range> ranges = KeyBounds.find(control, leaf, key.get(0))
                    .map(bounds -> bounds.ranges(pages, step))
                    .orElse(List.of());
            if (!ranges.isEmpty()) {
                return ranges;
            }
        }
        List<Chunk.Range> ranges = new ArrayList<>();
        for (long from = 0; from < pages; from += step) {
            ranges.add(new Chunk.Pages(from == 0 ? -1 : from, from + step < pages ? from + step : -1));
        }
        return ranges;
    }

    /** The size that chunks are cut by: a role that may read some columns only may not ask for pages. */
    private static long bytes(SqlSession control, Relation leaf) {
        return control.one(
                "SELECT coalesce(pg_relation_size(CAST(? AS bigint)::oid), 0)", row -> row.getLong(1), leaf.oid());
    }

    private static long divideUp(long a, long b) {
        return (a + b - 1) / b;
    }

    /** The table's OID. */
    public long table() {
        return table.oid();
    }

    /** By leaf, then by range. */
    public List<Chunk> chunks() {
        return chunks;
    }

    /**
     * Whether its rows have a key, and which row is in which chunk depends on the row alone: only then chunks that are done
     * may be kept under a later snapshot of the same {@link #identity}.
     */
    public boolean keyed() {
        return keyed;
    }

    /** A digest of all that must be the same under a later snapshot for done chunks to be kept. */
    public String identity() {
        return identity;
    }

    /** The {@link #identity} of a table as it is now, without cutting it. */
    public static String identityOf(SqlSession control, Published table, List<Relation> leaves) {
        return TableIdentity.of(control, table, SnapshotTables.key(control, table), leaves);
    }

    /**
     * The splits of one attempt.
     *
     * @param prefix of their ids, which {@link #unique} follows
     */
    public List<SplitPlan> splits(String prefix, List<String> after) {
        List<SplitPlan> plans = new ArrayList<>();
        for (Chunk chunk : chunks) {
            String id = String.format(Locale.ROOT, "%s%s/%04d", prefix, unique(), plans.size() + 1);
            plans.add(new SplitPlan(id, after, null, chunk.spec()));
        }
        return plans;
    }

    /** The table's part of ids: quoted if a dot or a quote within a name could make two tables look alike. */
    public String unique() {
        boolean plain = (table.schema() + table.name()).matches("[^.\"/]*");
        return plain ? table.display() : table.sql();
    }
}
