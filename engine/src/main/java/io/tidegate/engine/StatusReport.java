package io.tidegate.engine;

import io.tidegate.engine.gate.Gate;
import io.tidegate.engine.gate.GateEnd;
import io.tidegate.engine.session.Session;
import io.tidegate.engine.session.SessionParts;
import io.tidegate.spi.Position;
import io.tidegate.spi.Positions;
import io.tidegate.spi.SplitProgress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Makes a pipeline's status from what its thread knows. */
final class StatusReport {

    /** A call to the sink or the store that takes longer makes the pipeline stalled. */
    private static final long STALLED_NANOS = TimeUnit.SECONDS.toNanos(30);

    /** So does an end of a session that takes longer: something of it does not end, although it was aborted. */
    private static final long ENDING_STALLED_NANOS = TimeUnit.SECONDS.toNanos(3);

    private StatusReport() {}

    /** What is known outside of the session. */
    record Outside(
            boolean backingOff,
            PipelineStatus.@Nullable State ended,
            long sessions,
            SessionParts.Counters counters,
            PipelineStatus.@Nullable Failure lastError,
            long now) {}

    static PipelineStatus starting(String pipeline) {
        return new PipelineStatus(
                pipeline, PipelineStatus.State.STARTING, "", List.of(), 0, 0, null, null, 0, 0, 0, Map.of(), null);
    }

    static PipelineStatus of(Pipeline.Definition definition, @Nullable Session session, Outside outside) {
        Gate gate = session == null ? null : session.gate();
        return new PipelineStatus(
                definition.name(),
                state(session, outside),
                session == null ? "" : session.doing(),
                gate == null ? List.of() : splits(gate, definition.source().positions()),
                gate == null ? 0 : gate.batchesInFlight(),
                gate == null ? 0 : gate.bytesInFlight(),
                gate == null || session == null ? null : Duration.ofNanos(outside.now() - session.wroteAt()),
                session == null || session.delayMillis() < 0 ? null : Duration.ofMillis(session.delayMillis()),
                outside.sessions(),
                outside.counters().delivered().get(),
                outside.counters().rejected().get(),
                measures(gate, definition.source().positions(), outside),
                outside.lastError());
    }

    private static PipelineStatus.State state(@Nullable Session session, Outside outside) {
        if (outside.ended() != null) {
            return outside.ended();
        }
        if (session == null) {
            return outside.backingOff() ? PipelineStatus.State.BACKING_OFF : PipelineStatus.State.DRAINING;
        }
        long since = session.oldestCallSince();
        if (since != 0 && outside.now() - since > STALLED_NANOS) {
            return PipelineStatus.State.STALLED;
        }
        return switch (session.phase()) {
            case LOADING, PREPARING, OPENING -> PipelineStatus.State.STARTING;
            case RUNNING -> PipelineStatus.State.RUNNING;
            case DRAINING -> PipelineStatus.State.DRAINING;
            case ENDING, ENDED -> ending(session, outside.now());
        };
    }

    private static PipelineStatus.State ending(Session session, long now) {
        if (now - session.endingSince() > ENDING_STALLED_NANOS) {
            return PipelineStatus.State.STALLED;
        }
        return session.how() == GateEnd.FAILED ? PipelineStatus.State.BACKING_OFF : PipelineStatus.State.DRAINING;
    }

    /** What the source measures, and the three positions of its slowest split as numbers, where it has such. */
    private static Map<String, Double> measures(@Nullable Gate gate, Positions positions, Outside outside) {
        Map<String, Double> measures = new HashMap<>(outside.counters().measures());
        for (int i = 0; gate != null && i < gate.size(); i++) {
            SplitProgress persisted = gate.persisted(i);
            SplitProgress acknowledged = gate.acknowledged(i);
            if (persisted == null || acknowledged == null || persisted.done()) {
                continue;
            }
            lowest(measures, "frontier_position", gate.frontier(i), positions);
            lowest(measures, "persisted_position", persisted.position(), positions);
            lowest(measures, "acknowledged_position", acknowledged.position(), positions);
        }
        return measures;
    }

    private static void lowest(
            Map<String, Double> measures, String name, @Nullable Position position, Positions positions) {
        if (position != null) {
            positions.number(position).ifPresent(number -> measures.merge(name, number, Math::min));
        }
    }

    private static List<PipelineStatus.Split> splits(Gate gate, Positions positions) {
        List<PipelineStatus.Split> splits = new ArrayList<>(gate.size());
        for (int i = 0; i < gate.size(); i++) {
            SplitProgress persisted = gate.persisted(i);
            SplitProgress acknowledged = gate.acknowledged(i);
            splits.add(new PipelineStatus.Split(
                    gate.plan(i).id(),
                    text(gate.frontier(i), positions),
                    text(persisted == null ? null : persisted.position(), positions),
                    text(acknowledged == null ? null : acknowledged.position(), positions),
                    persisted != null && persisted.done()));
        }
        return splits;
    }

    private static @Nullable String text(@Nullable Position position, Positions positions) {
        return position == null ? null : positions.print(position);
    }
}
