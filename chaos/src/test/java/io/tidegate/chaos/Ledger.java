package io.tidegate.chaos;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * The book that the load keeps in the source. Behind each statement, in the same transaction, stands a row of the table
 * {@value #TABLE}: table, kind of change, number of rows, and the token that all rows it wrote carry. So each committed
 * change is accounted for twice, by itself and by its entry, and both travel the same way.
 *
 * <ol>
 *   <li>L1 Each entry that the source has was delivered: in the log, or in the snapshot's last attempt; not in both.
 *   <li>L2 No other entry was delivered: nothing that was rolled back.
 *   <li>L3 The changes between two entries of a transaction are exactly those of which the second one speaks.
 * </ol>
 */
final class Ledger {

    static final String TABLE = "ledger";

    private final Set<Long> inLog = new HashSet<>();
    private final Set<Long> inSnapshot = new HashSet<>();
    private final List<String> faults = new ArrayList<>();
    private final List<Delivered> open = new ArrayList<>();
    private int transactions;
    private long commit;

    /** Takes the rows of the snapshot; those of an earlier attempt are forgotten. */
    void snapshot(Delivered line) {
        if (!line.table().equals(TABLE)) {
            return;
        }
        if (line.op().equals("t")) {
            inSnapshot.clear();
        } else {
            inSnapshot.add(id(line));
        }
    }

    /** Takes a change of the log; each once, in order. */
    void logged(Delivered change) {
        if (change.commit() != commit) {
            endTransaction();
            commit = change.commit();
            transactions++;
        }
        if (!change.table().equals(TABLE)) {
            open.add(change);
            return;
        }
        if (!change.op().equals("c")) {
            faults.add("L2: the book is only ever added to: " + change.text());
            return;
        }
        if (!inLog.add(id(change))) {
            faults.add("L3: an entry twice: " + change.text());
        }
        ObjectNode entry = change.after().orElseThrow();
        int count = entry.required("n").intValue();
        if (open.size() != count) {
            faults.add("L3: " + open.size() + " changes were delivered where the book has " + entry);
        }
        for (Delivered one : open) {
            if (!speaksOf(entry, one)) {
                faults.add("L3: the book has " + entry + " and not " + one.text());
                break;
            }
        }
        open.clear();
    }

    private static boolean speaksOf(ObjectNode entry, Delivered change) {
        return change.table().equals(entry.required("tab").textValue())
                && change.op().equals(entry.required("op").textValue())
                && change.after()
                        .map(row -> row.required("token").longValue()
                                == entry.required("token").longValue())
                        .orElse(true);
    }

    private void endTransaction() {
        if (!open.isEmpty()) {
            faults.add(
                    "L3: changes without an entry in the book: " + open.get(0).text());
            open.clear();
        }
    }

    private static long id(Delivered line) {
        return line.after().orElseThrow().required("id").longValue();
    }

    /** What is wrong, given the entries that the source has. To be called once, at the end. */
    List<String> faults(Set<Long> committed) {
        endTransaction();
        List<String> all = new ArrayList<>(faults);
        Set<Long> missing = new TreeSet<>(committed);
        missing.removeAll(inLog);
        missing.removeAll(inSnapshot);
        if (!missing.isEmpty()) {
            all.add("L1: committed and never delivered, the entries " + missing);
        }
        Set<Long> both = new TreeSet<>(inLog);
        both.retainAll(inSnapshot);
        if (!both.isEmpty()) {
            all.add("L1: in the snapshot and in the log, the entries " + both);
        }
        Set<Long> never = new TreeSet<>(inLog);
        never.addAll(inSnapshot);
        never.removeAll(committed);
        if (!never.isEmpty()) {
            all.add("L2: delivered and never committed, the entries " + never);
        }
        return all;
    }

    /** Transactions seen in the log. */
    int transactions() {
        return transactions;
    }
}
