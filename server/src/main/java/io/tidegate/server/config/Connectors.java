package io.tidegate.server.config;

import io.tidegate.spi.SinkConnector;
import io.tidegate.spi.SourceConnector;
import java.util.Collections;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;

/** The kinds of sources and sinks that can be configured, by name. Immutable. */
public record Connectors(SortedMap<String, SourceConnector> sources, SortedMap<String, SinkConnector> sinks) {

    public Connectors {
        sources = Collections.unmodifiableSortedMap(new TreeMap<>(sources));
        sinks = Collections.unmodifiableSortedMap(new TreeMap<>(sinks));
    }

    /** Those on the class path. */
    public static Connectors onClassPath() {
        return new Connectors(
                byName(ServiceLoader.load(SourceConnector.class), SourceConnector::name),
                byName(ServiceLoader.load(SinkConnector.class), SinkConnector::name));
    }

    private static <C> SortedMap<String, C> byName(Iterable<C> found, Function<C, String> name) {
        SortedMap<String, C> byName = new TreeMap<>();
        for (C connector : found) {
            Map.Entry<String, C> entry = Map.entry(name.apply(connector), connector);
            if (byName.put(entry.getKey(), entry.getValue()) != null) {
                throw new IllegalStateException("two connectors on the class path are called " + entry.getKey());
            }
        }
        return byName;
    }
}
