package io.tidegate.server.http;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.tidegate.engine.PipelineStatus;
import io.tidegate.server.json.Json;
import java.util.List;

/** Whether every pipeline does what it is for, and which one does not, in words. */
final class Readiness {

    private Readiness() {}

    static boolean ready(List<PipelineStatus> pipelines) {
        return !pipelines.isEmpty()
                && pipelines.stream().allMatch(pipeline -> whyNot(pipeline).isEmpty());
    }

    /** Why a pipeline is not ready; empty if it is. */
    static String whyNot(PipelineStatus pipeline) {
        return switch (pipeline.state()) {
            case RUNNING, COMPLETED -> "";
            case STARTING -> pipeline.doing().isEmpty() ? "is starting" : "is starting: " + pipeline.doing();
            case DRAINING -> "drains, as it was asked to stop";
            case BACKING_OFF -> "waits to try again after " + error(pipeline);
            case STALLED -> "is stalled: " + pipeline.stalledOn();
            case STOPPED -> "was stopped";
            case FAILED -> "failed: " + error(pipeline);
        };
    }

    private static String error(PipelineStatus pipeline) {
        PipelineStatus.Failure error = pipeline.lastError();
        return error == null ? "a failure" : error.code().code() + ": " + error.message();
    }

    static ObjectNode toJson(List<PipelineStatus> pipelines) {
        ObjectNode body = Json.object();
        body.put("ready", ready(pipelines));
        ObjectNode byName = body.putObject("pipelines");
        for (PipelineStatus pipeline : pipelines) {
            String why = whyNot(pipeline);
            ObjectNode node = byName.putObject(pipeline.pipeline());
            node.put("ready", why.isEmpty()).put("state", StatusJson.name(pipeline.state()));
            if (!why.isEmpty()) {
                node.put("why", why);
            }
        }
        return body;
    }
}
