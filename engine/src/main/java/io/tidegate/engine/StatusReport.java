package io.tidegate.engine;

import io.tidegate.engine.gate.Gate;
import io.tidegate.engine.gate.GateEnd;
import io.tidegate.engine.session.DelayWindow;
import io.tidegate.engine.session.Session;
import io.tidegate.engine.session.SessionFlow;
import io.tidegate.engine.session.SessionParts;
import io.tidegate.engine.session.Wait;
import io.tidegate.spi.Position;
import io.tidegate.spi.Positions;
import io.tidegate.spi.SplitProgress;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Makes a pipeline's status from what its thread knows, and judges whether it is stalled. One thread. */
final class StatusReport {

    /** More are counted, but not shown. */
    private static final int SPLITS_MAX = 100;

    private static final double MEDIAN = 0.5;
    private static final double P99 = 0.99;

    private final String pipeline;
    private final Positions positions;
    private final SessionParts.Counters counters;
    private final SilentSource silent = new SilentSource();
    private final SnapshotRates rates = new SnapshotRates();
    private PipelineStatus.Places places = PipelineStatus.Places.NONE;

    StatusReport(String pipeline, Positions positions, SessionParts.Counters counters) {
        this.pipeline = pipeline;
        this.positions = positions;
        this.counters = counters;
    }

    /** What supervision knows. */
    record Outside(
            PipelineStatus.State between, long sessions, Attempts attempts, ErrorLog errors, Instant at, long now) {}

    /** @param outside with the state while there is no session */
    PipelineStatus of(@Nullable Session session, Outside outside) {
        long now = outside.now();
        Gate gate = session == null ? null : session.gate();
        if (session != null && gate != null) {
            places = places(gate, session, now);
        }
        PipelineStatus.State state = state(session, outside);
        String stalledOn = state.ended() ? "" : stalledOn(session, outside);
        return new PipelineStatus(
                pipeline,
                stalledOn.isEmpty() ? state : PipelineStatus.State.STALLED,
                stalledOn,
                session == null ? "" : session.doing(),
                outside.at(),
                outside.sessions(),
                places,
                delivery(gate, now),
                measures(),
                rates.look(Objects.requireNonNull(counters.snapshot().get()), now),
                Objects.requireNonNull(counters.problems().get()),
                outside.errors().newestFirst());
    }

    private static PipelineStatus.State state(@Nullable Session session, Outside outside) {
        if (session == null) {
            return outside.between();
        }
        return switch (session.phase()) {
            case LOADING, PREPARING, OPENING -> PipelineStatus.State.STARTING;
            case RUNNING -> PipelineStatus.State.RUNNING;
            case DRAINING -> PipelineStatus.State.DRAINING;
            case ENDING, ENDED ->
                session.how() == GateEnd.FAILED ? PipelineStatus.State.BACKING_OFF : PipelineStatus.State.DRAINING;
        };
    }

    private String stalledOn(@Nullable Session session, Outside outside) {
        List<Wait> waits = new ArrayList<>(session == null ? List.of() : session.waits());
        outside.attempts().look().ifPresent(waits::add);
        silence(session, outside.now()).ifPresent(waits::add);
        return Wait.stall(waits, outside.now())
                .map(wait -> wait.describe(outside.now()))
                .orElse("");
    }

    private Optional<Wait> silence(@Nullable Session session, long now) {
        Gate gate = session == null ? null : session.gate();
        if (session == null
                || gate == null
                || gate.batchesInFlight() > 0
                || !session.reading().log()) {
            silent.busy();
            return Optional.empty();
        }
        return silent.look(session, session.flow().moves(), counters.measures().get(SilentSource.RETAINED), now);
    }

    private PipelineStatus.Delivery delivery(@Nullable Gate gate, long now) {
        DelayWindow delays = counters.delays();
        return new PipelineStatus.Delivery(
                gate == null ? 0 : gate.batchesInFlight(),
                gate == null ? 0 : gate.bytesInFlight(),
                counters.delivered().get(),
                counters.rejected().get(),
                counters.nothingToDo().get(),
                new PipelineStatus.Delays(
                        millis(delays.newestMillis()),
                        millis(delays.quantileMillis(MEDIAN, now)),
                        millis(delays.quantileMillis(P99, now))));
    }

    private static @Nullable Duration millis(OptionalLong millis) {
        return millis.isPresent() ? Duration.ofMillis(millis.getAsLong()) : null;
    }

    /** What the source measures, and the three positions of its slowest split as numbers, where it has such. */
    private Map<String, Double> measures() {
        Map<String, Double> measures = new HashMap<>(counters.measures());
        for (PipelineStatus.Split split : places.splits()) {
            lowest(measures, "frontier_position", split.frontier());
            lowest(measures, "persisted_position", split.persisted());
            lowest(measures, "acknowledged_position", split.acknowledged());
        }
        return measures;
    }

    private static void lowest(Map<String, Double> measures, String name, PipelineStatus.Place place) {
        Double number = place.number();
        if (number != null) {
            measures.merge(name, number, Math::min);
        }
    }

    /** Of ten thousand splits it makes nothing but a count. */
    private PipelineStatus.Places places(Gate gate, Session session, long now) {
        Set<Integer> reading = session.reading().handles();
        List<PipelineStatus.Split> splits = new ArrayList<>();
        int done = 0;
        for (int i = 0; i < gate.size(); i++) {
            SplitProgress persisted = gate.persisted(i);
            if (persisted != null && persisted.done()) {
                done++;
            } else if (splits.size() < SPLITS_MAX && (reading.contains(i) || gate.frontier(i) != null)) {
                splits.add(split(gate, i));
            }
        }
        SessionFlow flow = session.flow();
        return new PipelineStatus.Places(
                splits,
                gate.size(),
                done,
                Duration.ofNanos(now - flow.wroteAt()),
                new PipelineStatus.Lag(behind(splits, true), since(flow.unpersistedSince(), now)),
                new PipelineStatus.Lag(behind(splits, false), since(flow.unconfirmedSince(), now)));
    }

    private PipelineStatus.Split split(Gate gate, int split) {
        SplitProgress persisted = gate.persisted(split);
        SplitProgress acknowledged = gate.acknowledged(split);
        return new PipelineStatus.Split(
                gate.plan(split).id(),
                place(gate.frontier(split)),
                place(persisted == null ? null : persisted.position()),
                place(acknowledged == null ? null : acknowledged.position()));
    }

    private PipelineStatus.Place place(@Nullable Position position) {
        if (position == null) {
            return new PipelineStatus.Place(null, null);
        }
        var number = positions.number(position);
        return new PipelineStatus.Place(
                positions.print(position), number.isPresent() ? (Double) number.getAsDouble() : null);
    }

    /** The largest distance from settled to persisted, or from persisted to acknowledged. */
    private static @Nullable Double behind(List<PipelineStatus.Split> splits, boolean persisted) {
        Double most = null;
        for (PipelineStatus.Split split : splits) {
            Double ahead = (persisted ? split.frontier() : split.persisted()).number();
            Double behind = (persisted ? split.persisted() : split.acknowledged()).number();
            if (ahead != null && behind != null) {
                most = most == null ? ahead - behind : Math.max(most, ahead - behind);
            }
        }
        return most;
    }

    private static Duration since(@Nullable Long since, long now) {
        return since == null ? Duration.ZERO : Duration.ofNanos(now - since);
    }
}
