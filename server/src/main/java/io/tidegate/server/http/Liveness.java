package io.tidegate.server.http;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.tidegate.engine.PipelineStatus;
import io.tidegate.server.json.Json;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * Whether this process works: only if it does not, a new one is of use. A pipeline that failed, stalls or cannot reach its
 * database would do the same in a new process, so it counts as alive.
 */
final class Liveness {

    /** A pipeline publishes several times a second, whatever sink, source and store do. */
    private static final Duration SILENT_MAX = Duration.ofSeconds(60);

    private Liveness() {}

    /** The pipelines whose own thread has not been heard of. */
    static List<String> dead(List<PipelineStatus> pipelines, Instant now) {
        return pipelines.stream()
                .filter(pipeline -> !pipeline.state().ended()
                        && Duration.between(pipeline.at(), now).compareTo(SILENT_MAX) > 0)
                .map(PipelineStatus::pipeline)
                .toList();
    }

    static ObjectNode toJson(List<String> dead) {
        ObjectNode body = Json.object();
        body.put("alive", dead.isEmpty());
        dead.forEach(body.putArray("dead")::add);
        return body;
    }
}
