package io.tidegate.connector.postgres.snapshot;

import io.tidegate.connector.postgres.server.SqlSession;
import io.tidegate.spi.SnapshotProgress;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/** How far the snapshot of each table is, for people. Rows may be counted by any thread; the rest is the session's. */
public final class SnapshotMeter {

    /** Rows as the last ANALYZE or VACUUM counted them, of all leaves. */
    private static final String ESTIMATE = "SELECT n.nspname || '.' || c.relname, greatest(coalesce((SELECT"
            + " sum(greatest(l.reltuples, 0)) FROM pg_partition_tree(c.oid) t JOIN pg_class l ON l.oid = t.relid WHERE"
            + " t.isleaf), c.reltuples), 0)::bigint FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
            + " WHERE c.oid::bigint = ?";

    private final Map<Long, Table> tables = new LinkedHashMap<>();

    private static final class Table {
        private final AtomicLong rows = new AtomicLong();
        private String name = "";
        private long rowsTotal;
        private int chunksBefore;
        private int chunksDone;
        private int chunksTotal;

        SnapshotProgress progress() {
            long rowsBefore = chunksTotal == 0 ? 0 : rowsTotal * chunksBefore / chunksTotal;
            return new SnapshotProgress(name, rowsBefore + rows.get(), rowsTotal, chunksDone, chunksTotal);
        }
    }

    /** A chunk of a table is to be read, or was in an earlier session. */
    public void chunk(SqlSession control, long table, boolean done) {
        Table counted = tables.computeIfAbsent(table, oid -> {
            Table fresh = new Table();
            fresh.name = "table " + oid;
            control.query(ESTIMATE, row -> Map.entry(row.getString(1), row.getLong(2)), oid)
                    .forEach(found -> {
                        fresh.name = found.getKey();
                        fresh.rowsTotal = found.getValue();
                    });
            return fresh;
        });
        counted.chunksTotal++;
        if (done) {
            counted.chunksBefore++;
            counted.chunksDone++;
        }
    }

    /** A chunk is durably done. */
    public void done(long table) {
        Table counted = tables.get(table);
        if (counted != null) {
            counted.chunksDone++;
        }
    }

    /** Where the reader of a chunk counts the rows that it gave. */
    AtomicLong rows(long table) {
        Table counted = tables.get(table);
        return counted == null ? new AtomicLong() : counted.rows;
    }

    public List<SnapshotProgress> progress() {
        return tables.values().stream().map(Table::progress).toList();
    }
}
