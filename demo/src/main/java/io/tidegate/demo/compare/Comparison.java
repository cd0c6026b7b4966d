package io.tidegate.demo.compare;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeSet;

/**
 * Compares the source with a {@link Delivery} that has ended.
 *
 * <ol>
 *   <li>Each change of the ledger was delivered as what it is, or lies before the point of its table's snapshot.
 *   <li>Nothing was delivered from the log that is not in the ledger.
 *   <li>A replay by key gives the final tables, each row and value; these are read by the same encoder afterwards, and
 *       counted by the server.
 * </ol>
 */
public final class Comparison {

    private static final int EXAMPLES_MAX = 5;

    private final Delivery delivery;
    private final CommitOrder order;
    private final List<String> examples = new ArrayList<>();
    private long committed;
    private long inSnapshot;
    private long delivered;
    private long known;
    private long missing;

    public Comparison(Delivery delivery, CommitOrder order) {
        this.delivery = delivery;
        this.order = order;
    }

    /** Takes a change of the ledger; each one once. */
    public void committed(CommittedChange change) {
        committed++;
        String content = delivery.contents().get(change.id());
        if (content != null) {
            known++;
        }
        if (change.content().equals(content)) {
            delivered++;
        } else if (content == null && inSnapshot(change)) {
            inSnapshot++;
        } else {
            missing(change.content() + " of transaction " + change.id().tx()
                    + (content == null ? " was not delivered" : " was delivered as " + content));
        }
    }

    private boolean inSnapshot(CommittedChange change) {
        ReplayedTable table = delivery.tables().get(change.table());
        OptionalLong point = table == null ? OptionalLong.empty() : table.point();
        return point.isPresent() && order.before(change.id().tx(), point.getAsLong());
    }

    /**
     * Compares with the final tables, and says how it all came out.
     *
     * @param finalTables the lines of a snapshot that was taken when nothing changed any more
     * @param rowCounts the rows of each table, counted by the server
     */
    public Verdict verdict(Delivery finalTables, Map<String, Long> rowCounts) {
        for (Map.Entry<String, Long> table : rowCounts.entrySet()) {
            String name = table.getKey();
            Map<String, Map<String, String>> wanted = rows(finalTables, name);
            compareRows(name, wanted, rows(delivery, name));
            for (long row = wanted.size(); row < table.getValue(); row++) {
                missing("a row of " + name + " is in no final snapshot");
            }
        }
        return new Verdict(
                committed,
                inSnapshot,
                delivered,
                delivery.duplicates(),
                missing,
                delivery.contents().size() - known + delivery.unlike(),
                delivery.outOfOrder(),
                List.copyOf(examples));
    }

    private static Map<String, Map<String, String>> rows(Delivery of, String table) {
        ReplayedTable replayed = of.tables().get(table);
        return replayed == null ? new HashMap<>() : replayed.rows();
    }

    private void compareRows(
            String table, Map<String, Map<String, String>> wanted, Map<String, Map<String, String>> replayed) {
        TreeSet<String> keys = new TreeSet<>(wanted.keySet());
        keys.addAll(replayed.keySet());
        for (String key : keys) {
            Map<String, String> row = wanted.get(key);
            if (row == null) {
                missing("a replay still has the row " + key + " of " + table);
            } else if (!row.equals(replayed.get(key))) {
                missing("a replay does not give the row " + key + " of " + table);
            }
        }
    }

    private void missing(String example) {
        missing++;
        if (examples.size() < EXAMPLES_MAX) {
            examples.add(example);
        }
    }
}
