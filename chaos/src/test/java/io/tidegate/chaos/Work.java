package io.tidegate.chaos;

import java.sql.SQLException;
import java.util.SplittableRandom;

/** What a {@link Load} writes. Called by several threads at once, each with a connection of its own. */
interface Work {

    /**
     * Writes one transaction, and neither begins nor ends it.
     *
     * @param thread counts from 0
     */
    void shortTransaction(LedgerWriter writer, int thread, SplittableRandom random) throws SQLException;

    /** Writes the beginning, or the end, of a transaction that others commit during. */
    void longPart(LedgerWriter writer, SplittableRandom random) throws SQLException;
}
