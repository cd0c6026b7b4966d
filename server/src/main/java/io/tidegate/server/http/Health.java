package io.tidegate.server.http;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.tidegate.engine.PipelineStatus;
import io.tidegate.server.json.Json;
import java.util.List;
import java.util.Locale;

/** Whether somebody should look: a pipeline that failed, stalls, or waits to try again. */
final class Health {

    private Health() {}

    static boolean healthy(List<PipelineStatus> pipelines) {
        return pipelines.stream().allMatch(pipeline -> healthy(pipeline.state()));
    }

    static ObjectNode toJson(List<PipelineStatus> pipelines) {
        ObjectNode body = Json.object();
        body.put("healthy", healthy(pipelines));
        ObjectNode states = body.putObject("pipelines");
        for (PipelineStatus pipeline : pipelines) {
            ObjectNode node = states.putObject(pipeline.pipeline());
            node.put("state", pipeline.state().toString().toLowerCase(Locale.ROOT));
            node.put("healthy", healthy(pipeline.state()));
            StatusJson.putError(node, pipeline.lastError());
        }
        return body;
    }

    private static boolean healthy(PipelineStatus.State state) {
        return switch (state) {
            case STARTING, RUNNING, DRAINING, STOPPED, COMPLETED -> true;
            case BACKING_OFF, STALLED, FAILED -> false;
        };
    }
}
