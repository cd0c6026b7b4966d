package io.tidegate.connector.postgres.pgoutput;

import io.tidegate.connector.postgres.position.Lsn;
import io.tidegate.connector.postgres.value.TableShape;
import java.util.List;
import java.util.Map;

/** Reads single rows as they are now, with the texts that the log would have. Belongs to the thread that decodes. */
public interface RowLookup {

    /**
     * What was found, and when.
     *
     * @param there false: there is no such row, or the publication leaves it out
     * @param texts by column, of those that were asked for and are not null
     * @param at a place in the log behind every commit that the reading could see
     */
    record Found(boolean there, Map<Integer, byte[]> texts, Lsn at) {}

    /**
     * Reads some columns of one row.
     *
     * @param columns indexes into the columns of the table
     * @param key the texts of the key's columns, in key order
     * @param xid a transaction, 32 bits without sign, that must be visible before: the log can be ahead of what others see
     * @throws io.tidegate.spi.TidegateException the row cannot be read now, or the table is not what it was
     */
    Found read(TableShape table, List<Integer> columns, List<byte[]> key, long xid);
}
