package io.tidegate.simulation.sink;

import io.tidegate.simulation.stage.Fault;
import io.tidegate.simulation.stage.Life;
import io.tidegate.simulation.stage.Stage;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.Finding;
import io.tidegate.spi.Sink;
import io.tidegate.spi.SinkContext;
import io.tidegate.spi.SinkSession;
import io.tidegate.spi.TidegateException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Writes into the simulated database. */
public final class TargetSink implements Sink {

    private final Stage stage;
    private final TargetDatabase target;
    private final Life process;
    private final Refusals refusals;

    /** What the target refuses, and how often still. It outlives sessions, and processes too. */
    public static final class Refusals {
        private final Map<String, Integer> left = new HashMap<>();
        private boolean pending;

        void sessionOpens() {
            pending = false;
        }

        void begin(String name, int times) {
            left.putIfAbsent(name, times);
        }

        /** Whether it refuses this once more. */
        boolean refuses(String name) {
            Integer times = left.get(name);
            if (times == null || times == 0) {
                return false;
            }
            left.put(name, times - 1);
            pending = true;
            return true;
        }

        /** Takes what it may have refused before. Returns whether it did. */
        boolean take(String name) {
            boolean refused = left.remove(name) != null;
            pending &= !refused;
            return refused;
        }

        /** Whether the session that is open was refused something that was not taken since. */
        public boolean pending() {
            return pending;
        }
    }

    public TargetSink(Stage stage, TargetDatabase target, Life process, Refusals refusals) {
        this.stage = stage;
        this.target = target;
        this.process = process;
        this.refusals = refusals;
    }

    @Override
    public List<Finding> check() {
        return List.of();
    }

    @Override
    public SinkSession open(SinkContext context) {
        process.pass("sink open");
        if (stage.faults().strikes(Fault.SINK_OPEN_FAILS)) {
            throw new TidegateException(ErrorCode.SINK_FAILED, "the target cannot be reached");
        }
        refusals.sessionOpens();
        return new TargetSession(stage, target, process, context, refusals);
    }
}
