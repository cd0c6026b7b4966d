package io.tidegate.connector.postgres.config;

import java.util.List;

/**
 * A configured PostgreSQL source.
 *
 * @param create whether anything may be created in the user's database; false: no statement of ours changes it
 * @param slotAdopt whether a slot that is there before this pipeline has a state is taken over
 * @param acceptPartial whether a publication that leaves out operations is taken
 * @param autoAdd whether tables that appear later and match are captured
 * @param keepStaleRows whether a repeated snapshot begins without a truncate
 * @param readersMax how many chunks are read at once
 * @param chunkBytes size of a chunk in pages of its table
 * @param messages prefixes of the logical messages that are asked for
 */
public record PostgresConfig(
        String pipeline,
        ServerConfig server,
        List<TablePattern> tables,
        boolean create,
        String slot,
        boolean slotAdopt,
        String publication,
        boolean acceptPartial,
        boolean autoAdd,
        SnapshotMode snapshot,
        boolean keepStaleRows,
        int readersMax,
        long chunkBytes,
        int maxRowBytes,
        List<PrefixPattern> messages) {

    public PostgresConfig {
        tables = List.copyOf(tables);
        messages = List.copyOf(messages);
    }

    /** Whether logical messages of this prefix are asked for. */
    public boolean asksFor(String prefix) {
        return messages.stream().anyMatch(pattern -> pattern.matches(prefix));
    }

    /** What is read of the rows that are there at the start. */
    public enum SnapshotMode {
        /** All rows, then the log. */
        INITIAL,
        /** As INITIAL, and again whenever what comes after the checkpoint can not be read any more. */
        WHEN_LOST,
        /** None: the log only. */
        NONE,
        /** All rows, and nothing afterwards: no slot and no publication. */
        ONLY
    }
}
