package io.tidegate.simulation.life;

import io.tidegate.engine.env.Role;
import io.tidegate.simulation.sink.TargetDatabase;
import io.tidegate.simulation.stage.Stage;
import java.time.Duration;

/** The target's server: executes what nobody waits for any more, sooner or later, or loses it. */
final class Server implements Role {

    private static final int PAUSE_MILLIS_MAX = 120;

    private final Stage stage;
    private final TargetDatabase target;

    Server(Stage stage, TargetDatabase target) {
        this.stage = stage;
        this.target = target;
    }

    @Override
    public Step step() {
        target.settleOneAdrift(stage.luck().below(3) != 0);
        return Step.IDLE;
    }

    @Override
    public long idleNanosMax() {
        return Duration.ofMillis(1 + stage.luck().below(PAUSE_MILLIS_MAX)).toNanos();
    }
}
