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
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * The numbers of all pipelines in Prometheus' text format. Positions are there as numbers, of the slowest split, where the
 * source has such; {@code /status} has all of them as text. Any thread.
 */
final class Metrics {

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

    /** By metric name. Guarded by this object's lock, as one scrape replaces the rows of all. */
    private final Map<String, MultiGauge> gauges = new HashMap<>();

    /** What counters read: the newest snapshot of each pipeline. */
    private final Map<String, PipelineStatus> latest = new ConcurrentHashMap<>();

    Metrics() {
        new JvmMemoryMetrics().bindTo(registry);
    }

    synchronized String scrape(List<PipelineStatus> pipelines) {
        Map<String, List<MultiGauge.Row<?>>> rows = new HashMap<>();
        gauges.keySet().forEach(name -> rows.put(name, new ArrayList<>()));
        for (PipelineStatus pipeline : pipelines) {
            if (latest.put(pipeline.pipeline(), pipeline) == null) {
                count(pipeline.pipeline());
            }
            gauges(pipeline, rows);
        }
        rows.forEach((name, found) -> gauges.computeIfAbsent(
                        name, n -> MultiGauge.builder(n).register(registry))
                .register(found, true));
        return registry.scrape();
    }

    private void count(String pipeline) {
        counter(pipeline, "tidegate.changes.delivered", PipelineStatus::delivered);
        counter(pipeline, "tidegate.changes.rejected", PipelineStatus::rejected);
        counter(pipeline, "tidegate.reconnects", status -> Math.max(0, status.sessions() - 1));
    }

    private void counter(String pipeline, String name, ToDoubleFunction<PipelineStatus> value) {
        FunctionCounter.builder(name, latest, map -> {
                    PipelineStatus status = map.get(pipeline);
                    return status == null ? 0 : value.applyAsDouble(status);
                })
                .tags("pipeline", pipeline)
                .register(registry);
    }

    private static void gauges(PipelineStatus pipeline, Map<String, List<MultiGauge.Row<?>>> rows) {
        Tags tags = Tags.of("pipeline", pipeline.pipeline());
        for (PipelineStatus.State state : PipelineStatus.State.values()) {
            Tags withState = tags.and("state", state.toString().toLowerCase(Locale.ROOT));
            add(rows, "tidegate.pipeline.state", withState, state == pipeline.state() ? 1.0 : 0.0);
        }
        add(rows, "tidegate.unsettled.batches", tags, (double) pipeline.unsettledBatches());
        add(rows, "tidegate.unsettled.bytes", tags, (double) pipeline.unsettledBytes());
        add(rows, "tidegate.checkpoint.age.seconds", tags, StatusJson.seconds(pipeline.checkpointAge()));
        add(rows, "tidegate.delay.seconds", tags, StatusJson.seconds(pipeline.delay()));
        add(rows, "tidegate.splits", tags, (double) pipeline.splits().size());
        double done =
                pipeline.splits().stream().filter(PipelineStatus.Split::done).count();
        add(rows, "tidegate.splits.done", tags, done);
        pipeline.measures()
                .forEach((name, value) -> add(rows, "tidegate.source." + name.replaceAll("\\W", "_"), tags, value));
        PipelineStatus.Failure error = pipeline.lastError();
        if (error != null) {
            double at = error.at().toEpochMilli() / 1e3;
            Tags withCode = tags.and("code", error.code().code());
            add(rows, "tidegate.last.error.timestamp.seconds", withCode, at);
        }
    }

    private static void add(Map<String, List<MultiGauge.Row<?>>> rows, String name, Tags tags, @Nullable Double value) {
        if (value != null) {
            rows.computeIfAbsent(name, n -> new ArrayList<>()).add(MultiGauge.Row.of(tags, value));
        }
    }
}
