package io.tidegate.demo.compare;

import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;

/** What a reader has who keeps a table by key and applies each change once. */
final class ReplayedTable {

    /** Stands for a value that no line ever held. Equal to no JSON text. */
    private static final String NEVER_DELIVERED = "(never delivered)";

    private final Map<String, Map<String, String>> rows = new HashMap<>();
    private final Set<String> readKeys = new HashSet<>();
    private OptionalLong point = OptionalLong.empty();

    /** The point of the newest snapshot of which a line was delivered. */
    OptionalLong point() {
        return point;
    }

    Map<String, Map<String, String>> rows() {
        return rows;
    }

    /** Says whether this row of a snapshot was delivered before, by this attempt or an earlier one. */
    boolean read(DeliveredLine line, long snapshotPoint) {
        point = OptionalLong.of(snapshotPoint);
        rows.put(line.key(), new LinkedHashMap<>(line.after()));
        return !readKeys.add(line.key());
    }

    /** The truncate that begins a new attempt at the snapshot. */
    void startAgain(long snapshotPoint) {
        point = OptionalLong.of(snapshotPoint);
        rows.clear();
    }

    void apply(DeliveredLine line) {
        switch (line.op()) {
            case "c" -> rows.put(line.key(), new LinkedHashMap<>(line.after()));
            case "u" -> update(line);
            case "d" -> rows.remove(line.key());
            case "t" -> rows.clear();
            default -> throw new IllegalArgumentException("a change with the op " + line.op());
        }
    }

    private void update(DeliveredLine line) {
        Map<String, String> old = rows.getOrDefault(line.oldKey(), Map.of());
        Map<String, String> updated = new LinkedHashMap<>(line.after());
        line.unchanged().forEach(column -> updated.put(column, old.getOrDefault(column, NEVER_DELIVERED)));
        rows.remove(line.oldKey());
        rows.put(line.key(), updated);
    }
}
