package io.tidegate.simulation.check;

import io.tidegate.simulation.stage.Stage;
import io.tidegate.spi.Op;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Judges a whole append log, or all files: order, repetitions, and what it amounts to. */
public final class Lines {

    private final Stage stage;
    private final List<Line> lines;
    private final Set<Long> numbers = new HashSet<>();

    public Lines(Stage stage, List<Line> lines) {
        this.stage = stage;
        this.lines = lines;
        lines.forEach(line -> numbers.add(line.number()));
    }

    public boolean has(long number) {
        return numbers.contains(number);
    }

    /** A repetition repeats a suffix of what is there; {@code once}: there is none. */
    public void checkOrder(boolean once) {
        Map<String, Lane> lanes = new HashMap<>();
        for (Line line : lines) {
            if (line.number() == 0 && line.op() == Op.TRUNCATE) {
                lanes.remove(line.lane()); // what came before is void, and not repeated any more
            } else if (line.number() > 0) {
                lanes.computeIfAbsent(line.lane(), any -> new Lane()).add(line.number(), once);
            }
        }
    }

    private final class Lane {
        private final List<Long> first = new ArrayList<>();
        private int next;

        void add(long number, boolean once) {
            if (next < first.size() && first.get(next) == number) {
                next++;
                return;
            }
            if (first.isEmpty() || number > first.get(first.size() - 1)) {
                stage.check(
                        next == first.size(),
                        "I4",
                        () -> "change " + number + " follows, and the repetition before it stopped at "
                                + first.get(next));
                first.add(number);
                next = first.size();
                return;
            }
            int back = first.indexOf(number);
            stage.check(back >= 0, "I4", () -> "change " + number + " comes behind a later one");
            stage.check(!once, "D", () -> "change " + number + " is there twice");
            next = back + 1;
        }
    }

    /** The rows of a table that are left when everything is done in order; by key, the number of the last change. */
    public Map<Integer, Long> replay(int table) {
        Map<Integer, Long> rows = new TreeMap<>();
        for (Line line : lines) {
            if (line.table() == table) {
                apply(line, rows);
            }
        }
        return rows;
    }

    private static void apply(Line line, Map<Integer, Long> rows) {
        if (line.op() == Op.TRUNCATE) {
            rows.clear();
        } else if (line.op() == Op.DELETE) {
            rows.remove(line.key());
        } else {
            rows.remove(line.oldKey());
            rows.put(line.key(), line.value());
        }
    }
}
