package io.tidegate.spi;

/**
 * How far the snapshot of one table is, for people: totals are estimates.
 *
 * @param table as {@link TableSchema#display} prints it
 * @param rowsDone rows read in this process, and of chunks that were done before an estimate
 * @param rowsTotal the table's rows as its database estimates them; never less than {@code rowsDone}
 * @param chunksDone splits of the table that are durably done
 * @param chunksTotal splits of the table
 */
public record SnapshotProgress(String table, long rowsDone, long rowsTotal, int chunksDone, int chunksTotal) {

    public SnapshotProgress {
        rowsTotal = Math.max(rowsDone, rowsTotal);
    }

    public boolean done() {
        return chunksDone == chunksTotal;
    }
}
