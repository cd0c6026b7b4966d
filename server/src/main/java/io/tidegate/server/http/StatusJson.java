package io.tidegate.server.http;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.tidegate.engine.PipelineStatus;
import io.tidegate.server.json.Json;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The whole snapshot of each pipeline as JSON, with the positions of its splits. */
final class StatusJson {

    private StatusJson() {}

    static ArrayNode toJson(List<PipelineStatus> pipelines) {
        ArrayNode array = Json.array();
        for (PipelineStatus pipeline : pipelines) {
            ObjectNode node = array.addObject();
            node.put("pipeline", pipeline.pipeline());
            node.put("state", pipeline.state().toString().toLowerCase(Locale.ROOT));
            node.put("doing", pipeline.doing());
            node.put("unsettled_batches", pipeline.unsettledBatches());
            node.put("unsettled_bytes", pipeline.unsettledBytes());
            node.put("checkpoint_age_seconds", seconds(pipeline.checkpointAge()));
            node.put("delay_seconds", seconds(pipeline.delay()));
            node.put("sessions", pipeline.sessions());
            node.put("delivered", pipeline.delivered());
            node.put("rejected", pipeline.rejected());
            ObjectNode measures = node.putObject("measures");
            pipeline.measures().forEach(measures::put);
            putError(node, pipeline.lastError());
            ArrayNode splits = node.putArray("splits");
            for (PipelineStatus.Split split : pipeline.splits()) {
                splits.addObject()
                        .put("id", split.id())
                        .put("frontier", split.frontier())
                        .put("persisted", split.persisted())
                        .put("acknowledged", split.acknowledged())
                        .put("done", split.done());
            }
        }
        return array;
    }

    static void putError(ObjectNode node, PipelineStatus.@Nullable Failure error) {
        if (error != null) {
            node.putObject("last_error")
                    .put("code", error.code().code())
                    .put("message", error.message())
                    .put("at", error.at().toString());
        }
    }

    static @Nullable Double seconds(@Nullable Duration time) {
        return time == null ? null : time.toNanos() / 1e9;
    }
}
