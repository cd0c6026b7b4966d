package io.tidegate.server.http;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.tidegate.engine.PipelineStatus;
import io.tidegate.server.json.Json;
import io.tidegate.spi.Finding;
import io.tidegate.spi.SnapshotProgress;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** All that a pipeline shows of itself, as JSON; {@code docs/monitoring.md} says what each field means. */
final class StatusJson {

    private StatusJson() {}

    static ArrayNode toJson(List<PipelineStatus> pipelines) {
        ArrayNode array = Json.array();
        pipelines.forEach(pipeline -> array.add(toJson(pipeline)));
        return array;
    }

    static ObjectNode toJson(PipelineStatus pipeline) {
        ObjectNode node = Json.object();
        String whyNot = Readiness.whyNot(pipeline);
        node.put("pipeline", pipeline.pipeline());
        node.put("state", name(pipeline.state()));
        node.put("ready", whyNot.isEmpty());
        node.put("why_not_ready", whyNot);
        node.put("stalled_on", pipeline.stalledOn());
        node.put("doing", pipeline.doing());
        node.put("at", pipeline.at().toString());
        node.put("sessions", pipeline.sessions());
        node.put("reconnects", Math.max(0, pipeline.sessions() - 1));
        places(node, pipeline.places());
        delivery(node, pipeline.delivery());
        ObjectNode measures = node.putObject("measures");
        pipeline.measures().forEach(measures::put);
        snapshot(node, pipeline.snapshot());
        problems(node.putArray("problems"), pipeline.problems());
        errors(node.putArray("errors"), pipeline.errors());
        return node;
    }

    private static void places(ObjectNode node, PipelineStatus.Places places) {
        PipelineStatus.Split slowest = places.slowest();
        if (slowest == null) {
            node.putNull("positions");
        } else {
            split(node.putObject("positions"), slowest);
        }
        ObjectNode lag = node.putObject("lag");
        lag(lag.putObject("settled_to_persisted"), places.unpersisted());
        lag(lag.putObject("persisted_to_acknowledged"), places.unacknowledged());
        node.put("checkpoint_age_seconds", seconds(places.checkpointAge()));
        ObjectNode splits = node.putObject("splits");
        splits.put("known", places.known()).put("done", places.done());
        ArrayNode open = splits.putArray("open");
        places.splits().forEach(split -> split(open.addObject(), split));
    }

    private static void split(ObjectNode node, PipelineStatus.Split split) {
        node.put("split", split.id())
                .put("frontier", split.frontier().text())
                .put("persisted", split.persisted().text())
                .put("acknowledged", split.acknowledged().text());
    }

    private static void lag(ObjectNode node, PipelineStatus.Lag lag) {
        node.put("units", lag.units()).put("seconds", seconds(lag.time()));
    }

    private static void delivery(ObjectNode node, PipelineStatus.Delivery delivery) {
        node.put("unsettled_batches", delivery.unsettledBatches());
        node.put("unsettled_bytes", delivery.unsettledBytes());
        node.put("delivered", delivery.delivered());
        node.put("rejected", delivery.rejected());
        node.put("nothing_to_do", delivery.nothingToDo());
        node.putObject("delay_seconds")
                .put("newest", seconds(delivery.delays().newest()))
                .put("p50", seconds(delivery.delays().median()))
                .put("p99", seconds(delivery.delays().p99()));
    }

    private static void snapshot(ObjectNode node, PipelineStatus.Snapshot snapshot) {
        if (snapshot.tables().isEmpty()) {
            node.putNull("snapshot");
            return;
        }
        ObjectNode all = node.putObject("snapshot");
        all.put("rows_done", snapshot.rowsDone()).put("rows_total", snapshot.rowsTotal());
        all.put("rows_per_second", snapshot.rowsPerSecond()).put("left_seconds", seconds(snapshot.left()));
        ArrayNode tables = all.putArray("tables");
        for (PipelineStatus.Table table : snapshot.tables()) {
            SnapshotProgress progress = table.progress();
            tables.addObject()
                    .put("table", progress.table())
                    .put("rows_done", progress.rowsDone())
                    .put("rows_total", progress.rowsTotal())
                    .put("chunks_done", progress.chunksDone())
                    .put("chunks_total", progress.chunksTotal())
                    .put("rows_per_second", table.rowsPerSecond())
                    .put("left_seconds", seconds(table.left()));
        }
    }

    private static void problems(ArrayNode array, List<Finding> problems) {
        for (Finding problem : problems) {
            array.addObject()
                    .put("severity", problem.severity().toString().toLowerCase(Locale.ROOT))
                    .put("code", problem.code().code())
                    .put("object", problem.object())
                    .put("problem", problem.problem())
                    .put("cure", problem.cure());
        }
    }

    private static void errors(ArrayNode array, List<PipelineStatus.Failure> errors) {
        for (PipelineStatus.Failure error : errors) {
            array.addObject()
                    .put("code", error.code().code())
                    .put("message", error.message())
                    .put("advice", error.code().advice())
                    .put("first", error.first().toString())
                    .put("last", error.last().toString())
                    .put("count", error.count());
        }
    }

    static String name(PipelineStatus.State state) {
        return state.toString().toLowerCase(Locale.ROOT);
    }

    static @Nullable Double seconds(@Nullable Duration time) {
        return time == null ? null : time.toNanos() / 1e9;
    }
}
