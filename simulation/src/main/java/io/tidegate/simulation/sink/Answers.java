package io.tidegate.simulation.sink;

import io.tidegate.engine.env.Role;
import io.tidegate.simulation.stage.Life;
import io.tidegate.simulation.stage.Stage;

/** What the target answers later, on a thread of the process that is not the sink's. */
final class Answers {

    private final Stage stage;
    private final Life process;

    Answers(Stage stage, Life process) {
        this.stage = stage;
        this.process = process;
    }

    void later(long nanos, Runnable answer) {
        stage.scheduler().threadsOf(process).start("answer of the target", new Role() {
            private boolean waited;

            @Override
            public Step step() {
                if (!waited) {
                    waited = true;
                    stage.scheduler().rest(nanos, () -> stage.faults().isOff());
                    return Step.WORKED;
                }
                answer.run();
                return Step.ENDED;
            }

            @Override
            public long idleNanosMax() {
                return 0;
            }
        });
    }
}
