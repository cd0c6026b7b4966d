package io.tidegate.testkit.disk;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** The names in a directory. Changes that were not forced are undone from the last one backwards. */
final class CachedDirectory implements CachedNode {

    private final SortedMap<String, CachedNode> durable = new TreeMap<>();
    private final SortedMap<String, CachedNode> cached = new TreeMap<>();
    private final List<Consumer<SortedMap<String, CachedNode>>> unforced = new ArrayList<>();

    @Nullable
    CachedNode get(String name) {
        return cached.get(name);
    }

    SortedMap<String, CachedNode> cached() {
        return cached;
    }

    void put(String name, CachedNode node) {
        edit(names -> names.put(name, node));
    }

    void remove(String name) {
        edit(names -> names.remove(name));
    }

    void rename(String from, String to) {
        CachedNode node = cached.get(from);
        edit(names -> {
            names.remove(from);
            names.put(to, node);
        });
    }

    private void edit(Consumer<SortedMap<String, CachedNode>> edit) {
        unforced.add(edit);
        edit.accept(cached);
    }

    void force() {
        unforced.forEach(edit -> edit.accept(durable));
        unforced.clear();
    }

    @Override
    public CachedDirectory crash(RandomGenerator choices, Map<DiskEvent, Long> events) {
        int kept = unforced.isEmpty() ? 0 : choices.nextInt(unforced.size() + 1);
        if (!unforced.isEmpty()) {
            events.merge(kept < unforced.size() ? DiskEvent.NAMES_LOST : DiskEvent.NAMES_KEPT, 1L, Long::sum);
        }
        SortedMap<String, CachedNode> left = new TreeMap<>(durable);
        unforced.subList(0, kept).forEach(edit -> edit.accept(left));
        CachedDirectory after = new CachedDirectory();
        left.forEach((name, node) -> after.put(name, node.crash(choices, events)));
        after.force();
        return after;
    }
}
