package io.tidegate.simulation.life;

import io.tidegate.engine.env.Role;
import io.tidegate.simulation.stage.Feature;
import io.tidegate.simulation.stage.Stage;
import java.time.Duration;

/** Writes into the upstream, transaction after transaction. */
final class Application implements Role {

    private static final int SILENT_ONE_IN = 240;
    private static final long SILENT_NANOS = Duration.ofSeconds(50).toNanos();

    private final Stage stage;
    private final Upstream upstream;
    private int left;

    Application(Stage stage, Upstream upstream) {
        this.stage = stage;
        this.upstream = upstream;
        this.left = stage.swarm().transactions();
    }

    boolean done() {
        return left == 0;
    }

    @Override
    public Step step() {
        upstream.write();
        left--;
        return left == 0 ? Step.ENDED : Step.IDLE;
    }

    @Override
    public long idleNanosMax() {
        boolean silent = stage.has(Feature.LONG_PAUSES) && stage.work().below(SILENT_ONE_IN) == SILENT_ONE_IN - 1;
        return silent
                ? SILENT_NANOS
                : Duration.ofMillis(stage.work().below(stage.swarm().pauseMillisMax() + 1))
                        .toNanos();
    }
}
