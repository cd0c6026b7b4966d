package io.tidegate.connector.jdbc;

import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.TidegateException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The pipeline's rows of the position table: one with an empty lineage, the <em>fence</em>, whose epoch counts the sessions; and
 * one for each lineage with the ordinal of the last change that the target has. Each transaction begins with {@link #lock}.
 */
final class PositionTable {

    private static final String FENCE = "";

    private final Connection connection;
    private final String pipeline;
    private final TableName name;
    private final String quoted;
    private final String insert;
    private final Map<String, byte[]> ordinals = new HashMap<>();
    private long epoch;

    PositionTable(Connection connection, Dialect dialect, TableName name, String pipeline) {
        this.connection = connection;
        this.pipeline = pipeline;
        this.name = name;
        this.quoted = dialect.quote(name);
        this.insert = dialect.insertPosition(name);
    }

    /**
     * Waits for whatever transaction of an earlier session is left, shuts all earlier sessions out, and reads what they left.
     * The ordinals are read by a statement that begins after the lock was got: one that waited sees the row it waited for, but
     * not the rows that were inserted meanwhile.
     */
    void takeOver() throws SQLException {
        Sql.update(connection, insert, pipeline, FENCE);
        connection.setAutoCommit(false);
        epoch = lockedEpoch() + 1;
        Sql.update(
                connection,
                "UPDATE " + quoted + " SET epoch = ? WHERE pipeline = ? AND lineage = ?",
                epoch,
                pipeline,
                FENCE);
        Sql.list(
                connection,
                "SELECT lineage, ordinal FROM " + quoted + " WHERE pipeline = ? AND lineage <> ''",
                row -> {
                    byte[] ordinal = row.getBytes(2);
                    if (ordinal != null) {
                        ordinals.put(row.getString(1), ordinal);
                    }
                    return row.getString(1);
                },
                pipeline);
        connection.commit();
        connection.setAutoCommit(true);
    }

    private long lockedEpoch() throws SQLException {
        List<Long> found = Sql.list(
                connection,
                "SELECT epoch FROM " + quoted + " WHERE pipeline = ? AND lineage = ? FOR UPDATE",
                row -> row.getLong(1),
                pipeline,
                FENCE);
        if (found.isEmpty()) {
            throw new TidegateException(
                    ErrorCode.SINK_FAILED,
                    "the row of the pipeline " + pipeline + " in the table " + name.display() + " was deleted");
        }
        return found.get(0);
    }

    /** First of each transaction, and its answer awaited: nothing else is sent before (I2). */
    void lock() throws SQLException {
        if (lockedEpoch() != epoch) {
            throw new TidegateException(
                    ErrorCode.STATE_HELD,
                    "another process writes to this target as pipeline " + pipeline + ", or did since this one began",
                    "Only one process can run a pipeline. Stop the other one, or give it another name.",
                    null);
        }
    }

    /** The ordinal of the last change that is durable at the target; null if none is. */
    byte @Nullable [] last(String lineage) {
        return ordinals.get(lineage);
    }

    /** Writes ordinals in the transaction that is open. */
    void store(Map<String, byte[]> last) throws SQLException {
        for (Map.Entry<String, byte[]> one : last.entrySet()) {
            if (!ordinals.containsKey(one.getKey())) {
                Sql.update(connection, insert, pipeline, one.getKey());
            }
            int rows = Sql.update(
                    connection,
                    "UPDATE " + quoted
                            + " SET ordinal = ?, changed_at = CURRENT_TIMESTAMP WHERE pipeline = ? AND lineage = ?",
                    one.getValue(),
                    pipeline,
                    one.getKey());
            if (rows != 1) {
                throw new TidegateException(
                        ErrorCode.SINK_FAILED,
                        "a row of the pipeline " + pipeline + " in the table " + name.display() + " was deleted");
            }
        }
    }

    /** Says that the transaction of {@link #store} is durable. */
    void committed(Map<String, byte[]> last) {
        ordinals.putAll(last);
    }
}
