package io.tidegate.simulation;

import io.tidegate.simulation.life.Operator;
import io.tidegate.simulation.stage.Cut;
import io.tidegate.simulation.stage.Stage;
import io.tidegate.simulation.stage.Swarm;
import io.tidegate.simulation.stage.Tally;
import io.tidegate.simulation.stage.Violation;
import java.io.PrintStream;
import org.jspecify.annotations.Nullable;

/** One run, from one seed. The same seed and cut give the same run. */
public final class Simulation {

    private Simulation() {}

    /**
     * How a run ended.
     *
     * @param violation null: nothing is broken
     * @param strikes faults that struck, those that were left out among them
     */
    public record Result(
            Swarm swarm, @Nullable Violation violation, Tally tally, long steps, double seconds, int strikes) {

        /** Which rule is broken; empty if none. */
        public String rule() {
            Violation broken = violation;
            return broken == null ? "" : broken.rule();
        }
    }

    /** Runs it; {@code out} gets the trace. */
    public static Result run(long seed, Cut cut, @Nullable PrintStream out) {
        Stage stage = new Stage(seed, cut, out);
        Operator.begin(stage);
        Throwable failure = stage.scheduler().run();
        Violation violation = failure == null ? null : failure instanceof Violation known ? known : unexpected(failure);
        return new Result(
                stage.swarm(),
                violation,
                stage.tally(),
                stage.scheduler().steps(),
                stage.scheduler().nanoTime() / 1e9,
                stage.faults().struck());
    }

    private static Violation unexpected(Throwable failure) {
        Violation violation = new Violation("fault", "something failed that must not: " + failure);
        violation.initCause(failure);
        return violation;
    }
}
