package io.tidegate.spi;

import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a source wrote down about itself: the identity of the server, the intent of a birth, fingerprints of what its
 * positions depend on. Readable text by name, printed as it is by {@code state show}; never a secret. Immutable.
 */
public record SourceRecord(SortedMap<String, String> entries) {

    public static final SourceRecord EMPTY = new SourceRecord(new TreeMap<>());

    public SourceRecord {
        entries = Collections.unmodifiableSortedMap(new TreeMap<>(entries));
    }

    public @Nullable String get(String name) {
        return entries.get(name);
    }

    public boolean isEmpty() {
        return entries.isEmpty();
    }

    public SourceRecord with(String name, String value) {
        return with(Map.of(name, value));
    }

    public SourceRecord with(Map<String, String> more) {
        SortedMap<String, String> changed = new TreeMap<>(entries);
        changed.putAll(more);
        return new SourceRecord(changed);
    }

    /** Without the entry of this name. */
    public SourceRecord withoutExactly(String name) {
        SortedMap<String, String> changed = new TreeMap<>(entries);
        changed.remove(name);
        return new SourceRecord(changed);
    }

    /** Without the entries whose names begin so. */
    public SourceRecord without(String prefix) {
        SortedMap<String, String> changed = new TreeMap<>(entries);
        changed.keySet().removeIf(name -> name.startsWith(prefix));
        return new SourceRecord(changed);
    }
}
