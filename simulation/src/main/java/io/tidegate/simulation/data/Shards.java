package io.tidegate.simulation.data;

import io.tidegate.simulation.stage.Feature;
import io.tidegate.simulation.stage.Seen;
import io.tidegate.simulation.stage.Stage;
import io.tidegate.spi.Op;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A stream in shards: each has the records of a range of keys, and is followed by children when it is split. */
public final class Shards {

    private static final int KEYS = 16;

    private final Stage stage;
    private final Map<String, Shard> shards = new LinkedHashMap<>();
    private final TreeMap<Integer, Cells> rows = new TreeMap<>();
    private final List<LogChange> changes = new ArrayList<>();

    /** One shard; {@code parent} is null for the first ones. */
    public static final class Shard {
        private final String id;
        private final @Nullable String parent;
        private final int from;
        private final int to;
        private final List<LogChange> records = new ArrayList<>();
        private boolean closed;
        private long pruned;

        Shard(String id, @Nullable String parent, int from, int to) {
            this.id = id;
            this.parent = parent;
            this.from = from;
            this.to = to;
        }

        public String id() {
            return id;
        }

        public @Nullable String parent() {
            return parent;
        }

        public boolean closed() {
            return closed;
        }

        public List<LogChange> records() {
            return records;
        }
    }

    public Shards(Stage stage) {
        this.stage = stage;
        shards.put("s1", new Shard("s1", null, 0, KEYS / 2));
        shards.put("s2", new Shard("s2", null, KEYS / 2, KEYS));
    }

    /** Writes one record. */
    public void put(int key, boolean delete) {
        Shard shard = owner(key);
        long number = changes.size() + 1L;
        boolean there = rows.containsKey(key);
        if (delete && !there) {
            return;
        }
        Op op = delete ? Op.DELETE : there ? Op.UPDATE : Op.CREATE;
        long at = shard.records.size();
        LogChange change = new LogChange(number, op, 0, key, key, number, at, at + 1);
        shard.records.add(change);
        changes.add(change);
        if (delete) {
            rows.remove(key);
        } else {
            rows.put(key, new Cells(number, number, 0));
        }
        stage.say(() -> "writes " + change + " to shard " + shard.id + " at " + at);
    }

    /** Splits the shard of a key; it gets no more records. */
    public void split(int key) {
        Shard shard = owner(key);
        if (shard.to - shard.from < 2) {
            return;
        }
        shard.closed = true;
        int middle = (shard.from + shard.to) / 2;
        String left = "s" + (shards.size() + 1);
        shards.put(left, new Shard(left, shard.id, shard.from, middle));
        String right = "s" + (shards.size() + 1);
        shards.put(right, new Shard(right, shard.id, middle, shard.to));
        stage.saw(Seen.SHARD_SPLIT);
        stage.say(() -> "splits shard " + shard.id + " into " + left + " and " + right);
    }

    private Shard owner(int key) {
        return shards.values().stream()
                .filter(shard -> !shard.closed && shard.from <= key && key < shard.to)
                .findFirst()
                .orElseThrow();
    }

    public int keys() {
        return KEYS;
    }

    public Map<Integer, Cells> rows() {
        return rows;
    }

    public List<LogChange> changes() {
        return changes;
    }

    public List<Shard> all() {
        return List.copyOf(shards.values());
    }

    public Shard shard(String id) {
        return Objects.requireNonNull(shards.get(id), id);
    }

    /** The record at an index is asked for. */
    public void checkThere(Shard shard, long at) {
        stage.check(
                !stage.has(Feature.PRUNING) || at >= shard.pruned,
                "I3",
                () -> "the source is asked for " + at + " of shard " + shard.id + ", and pruned up to " + shard.pruned);
    }

    /** Everything before this is not needed any more. */
    public void confirm(String id, long at) {
        Shard shard = shard(id);
        if (at > shard.pruned) {
            shard.pruned = at;
            if (stage.has(Feature.PRUNING)) {
                stage.saw(Seen.PRUNED);
            }
        }
    }

    public long confirmed(String id) {
        return shard(id).pruned;
    }
}
