package io.tidegate.simulation.check;

import io.tidegate.simulation.stage.Stage;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What the target has, by what the source gave: how often each change landed, and which rows of which chunk. */
public final class Ledger {

    /** In place of a key: the marker that empties a table. */
    public static final int EMPTIED = -1;

    private int[] landed = new int[64];
    private final Map<String, Set<Integer>> given = new HashMap<>();
    private final Map<String, Set<Integer>> rows = new HashMap<>();

    /** Returns how often it has landed now. */
    int land(long number) {
        int index = (int) number;
        if (index >= landed.length) {
            landed = Arrays.copyOf(landed, Math.max(index + 1, landed.length * 2));
        }
        return ++landed[index];
    }

    public int landed(long number) {
        return number < landed.length ? landed[(int) number] : 0;
    }

    /** Everything that a split of a snapshot has. */
    public void expect(String split, Set<Integer> keys) {
        given.put(split, Set.copyOf(keys));
    }

    void landRow(String split, int key) {
        rows.computeIfAbsent(split, any -> new HashSet<>()).add(key);
    }

    /** The rows of a split that have not landed; null if nobody ever read it. */
    Set<Integer> missing(String split) {
        Set<Integer> missing = new HashSet<>(given.getOrDefault(split, Set.of(Integer.MIN_VALUE)));
        missing.removeAll(rows.getOrDefault(split, Set.of()));
        return missing;
    }

    /** Whether all that landed is among these lines. */
    void checkAllIn(Stage stage, List<Line> lines) {
        Set<Long> numbers = new HashSet<>();
        Map<String, Set<Integer>> found = new HashMap<>();
        for (Line line : lines) {
            numbers.add(line.number());
            if (line.number() == 0) {
                found.computeIfAbsent(line.split(), any -> new HashSet<>()).add(line.key());
            }
        }
        for (int i = 0; i < landed.length; i++) {
            long number = i;
            stage.check(
                    landed[i] == 0 || numbers.contains(number),
                    "I1",
                    () -> "change " + number + " was called durable, and is not in the files");
        }
        rows.forEach((split, keys) -> stage.check(
                found.getOrDefault(split, Set.of()).containsAll(keys),
                "I1",
                () -> "rows of " + split + " were called durable, and are not all in the files"));
    }
}
