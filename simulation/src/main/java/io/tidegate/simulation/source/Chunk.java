package io.tidegate.simulation.source;

import io.tidegate.simulation.data.Cells;
import io.tidegate.simulation.stage.Feature;
import io.tidegate.simulation.stage.Stage;
import io.tidegate.spi.SplitPlan;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * A part of a table, as its plan says it: a range of keys, a range of places in the table's file, or the marker that
 * empties the target before a snapshot begins again.
 *
 * @param attempt at the table, from 1
 */
record Chunk(int table, Kind kind, int from, int to, int attempt) {

    enum Kind {
        KEYS,
        PLACES,
        EMPTY
    }

    static Chunk of(SplitPlan plan) {
        String[] parts = plan.spec().split(" ", -1);
        return new Chunk(
                Integer.parseInt(parts[0]),
                Kind.valueOf(parts[1]),
                Integer.parseInt(parts[2]),
                Integer.parseInt(parts[3]),
                Integer.parseInt(parts[4]));
    }

    SplitPlan plan(String id, List<String> after, int number) {
        return new SplitPlan(id, after, null, table + " " + kind + " " + from + " " + to + " " + number);
    }

    static Chunk truncate(int table) {
        return new Chunk(table, Kind.EMPTY, 0, 0, 0);
    }

    /** Cuts a table; the first and the last part are open-ended. */
    static List<Chunk> cut(int table, NavigableMap<Integer, Cells> rows, Stage stage) {
        Kind kind = stage.luck().below(3) == 0 ? Kind.PLACES : Kind.KEYS;
        int parts = stage.has(Feature.SEVERAL_CHUNKS) ? 1 + stage.luck().below(4) : 1;
        List<Integer> bounds = new ArrayList<>();
        bounds.add(Integer.MIN_VALUE);
        for (int i = 1; i < parts; i++) {
            int bound = i * Math.max(1, rows.size() / parts);
            if (bound > bounds.get(bounds.size() - 1)) {
                bounds.add(bound);
            }
        }
        List<Chunk> chunks = new ArrayList<>();
        for (int i = 0; i < bounds.size(); i++) {
            int to = i + 1 < bounds.size() ? bounds.get(i + 1) : Integer.MAX_VALUE;
            chunks.add(new Chunk(table, kind, bounds.get(i), to, 0));
        }
        return chunks;
    }

    NavigableMap<Integer, Cells> rows(NavigableMap<Integer, Cells> table) {
        NavigableMap<Integer, Cells> rows = new TreeMap<>();
        table.forEach((key, cells) -> {
            int place = kind == Kind.KEYS ? key : cells.slot();
            if (kind != Kind.EMPTY && from <= place && place < to) {
                rows.put(key, cells);
            }
        });
        return rows;
    }
}
