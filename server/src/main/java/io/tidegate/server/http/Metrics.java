package io.tidegate.server.http;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.tidegate.engine.PipelineStatus;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The numbers of all pipelines in Prometheus' text format: each {@link Metric}, and what sources measure. Positions are
 * there as numbers, of the slowest split, where the source has such. Any thread.
 */
final class Metrics {

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

    /** By metric name. Guarded by this object's lock, as one scrape replaces the rows of all. */
    private final Map<String, MultiGauge> gauges = new HashMap<>();

    /** What counters read: the newest value of each. */
    private final Map<Count, Double> counts = new ConcurrentHashMap<>();

    private record Count(String name, Tags tags) {}

    Metrics() {
        new JvmMemoryMetrics().bindTo(registry);
    }

    synchronized String scrape(List<PipelineStatus> pipelines) {
        Map<String, List<MultiGauge.Row<?>>> rows = new HashMap<>();
        gauges.keySet().forEach(name -> rows.put(name, new ArrayList<>()));
        for (PipelineStatus pipeline : pipelines) {
            Tags tags = Tags.of("pipeline", pipeline.pipeline());
            for (Metric metric : Metric.values()) {
                metric.of(pipeline, (value, label) -> {
                    Tags withLabel = tags.and(label);
                    if (metric.counts()) {
                        count(metric.exposedName(), withLabel, value);
                    } else {
                        gauge(rows, metric.exposedName(), withLabel, value);
                    }
                });
            }
            pipeline.measures()
                    .forEach((name, value) -> gauge(rows, Metric.OF_SOURCE + name.replaceAll("\\W", "_"), tags, value));
        }
        rows.forEach((name, found) -> gauges.computeIfAbsent(
                        name, n -> MultiGauge.builder(n).register(registry))
                .register(found, true));
        return registry.scrape();
    }

    private void count(String name, Tags tags, double value) {
        Count count = new Count(name, tags);
        if (counts.put(count, value) == null) {
            FunctionCounter.builder(name, counts, map -> map.getOrDefault(count, 0.0))
                    .tags(tags)
                    .register(registry);
        }
    }

    private static void gauge(Map<String, List<MultiGauge.Row<?>>> rows, String name, Tags tags, double value) {
        rows.computeIfAbsent(name, n -> new ArrayList<>()).add(MultiGauge.Row.of(tags, value));
    }
}
