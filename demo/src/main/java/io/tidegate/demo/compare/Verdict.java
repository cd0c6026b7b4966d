package io.tidegate.demo.compare;

import java.util.List;
import java.util.Locale;

/**
 * How a comparison came out.
 *
 * @param committed changes of the ledger
 * @param inSnapshot those of them that lie before the point of their table's snapshot and were not delivered one by one
 * @param delivered those of them that were
 * @param duplicates lines that came again
 * @param missing changes that were neither delivered nor in the snapshot, and rows that a replay does not give
 * @param unknown changes that were delivered and never committed
 * @param outOfOrder changes that came for the first time after a later one
 * @param examples of what is missing
 */
public record Verdict(
        long committed,
        long inSnapshot,
        long delivered,
        long duplicates,
        long missing,
        long unknown,
        long outOfOrder,
        List<String> examples) {

    public boolean good() {
        return missing == 0 && unknown == 0 && outOfOrder == 0;
    }

    /** One line for people. */
    public String text(int kills) {
        String text = String.format(
                Locale.ROOT,
                "%d kills, %d changes committed (%d of them before the snapshot), %d delivered, %d duplicates, missing %d",
                kills,
                committed,
                inSnapshot,
                delivered,
                duplicates,
                missing);
        if (unknown > 0) {
            text += ", delivered but never committed " + unknown;
        }
        return outOfOrder > 0 ? text + ", out of order " + outOfOrder : text;
    }
}
