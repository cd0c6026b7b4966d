package io.tidegate.chaos;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The order of what the sink holds. Fed line by line in the order of the files; what it was given is kept once.
 *
 * <ol>
 *   <li>O1 Changes of the log come in the order of (commit LSN, number) the first time.
 *   <li>O2 What comes again begins where a transaction begins, and repeats everything from there on, to the letter, before
 *       anything new.
 *   <li>O3 A snapshot's rows come before all changes of the log of their table, attempt after attempt; each attempt after the
 *       first one that delivered rows of a table empties it first. A table that was read whole is not read again.
 *   <li>O4 No change of the log stands below the point of the last snapshot of its table.
 * </ol>
 */
final class LogOrder {

    private final List<Delivered> once = new ArrayList<>();
    private final List<String> faults = new ArrayList<>();
    private final Set<String> logged = new HashSet<>();
    private int next;
    private int duplicates;
    private int returns;
    private final Map<String, Delivered> newestRead = new HashMap<>();
    private int attempt;

    /** Takes the next line; says whether its place was not there before. */
    boolean take(Delivered line) {
        if (line.inLog()) {
            return takeLogged(line);
        }
        if (logged.contains(line.table())) {
            faults.add("O3: a row of a snapshot after changes of the log: " + line.text());
        }
        Delivered before = newestRead.put(line.table(), line);
        int last = before == null ? 0 : before.attempt();
        if (line.attempt() < last) {
            faults.add("O3: attempt " + line.attempt() + " after attempt " + last + ": " + line.text());
        }
        if (line.attempt() > last && last > 0 && !line.op().equals("t")) {
            faults.add("O3: attempt " + line.attempt() + " does not begin with a truncate: " + line.text());
        }
        attempt = Math.max(attempt, line.attempt());
        return true;
    }

    private boolean takeLogged(Delivered line) {
        logged.add(line.table());
        Delivered read = newestRead.get(line.table());
        if (read != null && Long.compareUnsigned(line.commit(), read.commit()) < 0) {
            faults.add("O4: a change below its table's snapshot point " + Delivered.printLsn(read.commit()) + ": "
                    + line.text());
        }
        if (next == once.size() && (once.isEmpty() || once.get(next - 1).comparePlace(line) < 0)) {
            once.add(line);
            next++;
            return true;
        }
        boolean repeats = next < once.size() && once.get(next).comparePlace(line) == 0;
        if (!repeats) {
            int at = Collections.binarySearch(once, line, Delivered::comparePlace);
            if (at < 0) {
                faults.add("O1: " + line.place() + " stands behind what came before it: " + line.text());
                return false;
            }
            if (at > next) {
                faults.add("O2: coming again, " + once.get(next).place() + " to " + line.place() + " are left out");
            } else if (at > 0 && once.get(at - 1).commit() == line.commit()) {
                faults.add("O2: coming again begins inside a transaction: " + line.text());
            }
            next = at;
            returns++;
        }
        if (!once.get(next).text().equals(line.text())) {
            faults.add("O2: comes again as something else: " + once.get(next).text() + " then " + line.text());
        }
        next++;
        duplicates++;
        return false;
    }

    /** To be called at the end. */
    List<String> faults() {
        List<String> all = new ArrayList<>(faults);
        if (next < once.size()) {
            all.add("O2: the last coming again ends at " + once.get(next).place() + ", before "
                    + once.get(once.size() - 1).place());
        }
        return all;
    }

    /** The changes of the log, each once. */
    List<Delivered> log() {
        return once;
    }

    /** Lines that came again. */
    int duplicates() {
        return duplicates;
    }

    /** How often it went back. */
    int returns() {
        return returns;
    }

    /** The newest attempt at the snapshot of any table. */
    int attempt() {
        return attempt;
    }
}
