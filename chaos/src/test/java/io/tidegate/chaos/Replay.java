package io.tidegate.chaos;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Tables as they become when changes are applied by key, each change once: a change of the log that is not above the last
 * one applied is left out. Without that, an update that moves a row to another key and carries unchanged columns
 * could not be applied a second time.
 *
 * <p>Strict: an insert of a key that is there, and an update or delete of one that is not, are faults.
 */
final class Replay {

    private final Map<String, Map<String, ObjectNode>> tables = new TreeMap<>();
    private final List<String> faults = new ArrayList<>();

    void apply(Delivered change) {
        Map<String, ObjectNode> rows = tables.computeIfAbsent(change.table(), name -> new TreeMap<>());
        String key = change.key().map(ObjectNode::toString).orElse("");
        switch (change.op()) {
            case "r", "c" -> {
                if (rows.put(key, change.after().orElseThrow()) != null) {
                    faults.add("R1: is there already: " + change.text());
                }
            }
            case "u" -> update(rows, key, change);
            case "d" -> {
                if (rows.remove(key) == null) {
                    faults.add("R2: a delete of a row that is not there: " + change.text());
                }
            }
            case "t" -> rows.clear();
            default -> faults.add("R3: an unexpected kind of change: " + change.text());
        }
    }

    private void update(Map<String, ObjectNode> rows, String key, Delivered change) {
        String oldKey = oldKey(change).orElse(key);
        ObjectNode old = rows.remove(oldKey);
        if (old == null) {
            faults.add("R2: an update of a row that is not there: " + change.text());
            return;
        }
        ObjectNode row = change.after().orElseThrow().deepCopy();
        for (String column : change.unchanged()) {
            JsonNode kept = old.get(column);
            if (kept == null) {
                faults.add("R4: an unchanged column that the row does not have: " + change.text());
            } else {
                row.set(column, kept);
            }
        }
        if (rows.put(key, row) != null) {
            faults.add("R1: moved onto a key that is there already: " + change.text());
        }
    }

    /** The key before the change, if the log has it. */
    private static Optional<String> oldKey(Delivered change) {
        return change.before().map(before -> {
            ObjectNode key = change.key().orElseThrow().objectNode();
            change.key().orElseThrow().fieldNames().forEachRemaining(name -> key.set(name, before.required(name)));
            return key.toString();
        });
    }

    /** What differs from the tables as they should be, a few of each table. */
    List<String> differences(Replay expected) {
        List<String> all = new ArrayList<>();
        List<String> names = new ArrayList<>(expected.tables.keySet());
        tables.keySet().stream().filter(name -> !names.contains(name)).forEach(names::add);
        for (String name : names) {
            Map<String, ObjectNode> right = expected.tables.getOrDefault(name, Map.of());
            Map<String, ObjectNode> ours = tables.getOrDefault(name, Map.of());
            List<String> differing = new ArrayList<>();
            right.forEach((key, row) -> {
                ObjectNode our = ours.get(key);
                if (our == null) {
                    differing.add(name + ": lacks " + row);
                } else if (!our.equals(row)) {
                    differing.add(name + ": has " + our + " for " + row);
                }
            });
            ours.forEach((key, row) -> {
                if (!right.containsKey(key)) {
                    differing.add(name + ": has too much " + row);
                }
            });
            all.addAll(differing.subList(0, Math.min(5, differing.size())));
            if (differing.size() > 5) {
                all.add(name + ": and " + (differing.size() - 5) + " rows more");
            }
        }
        return all;
    }

    List<String> faults() {
        return faults;
    }

    int rows() {
        return tables.values().stream().mapToInt(Map::size).sum();
    }
}
