package io.tidegate.engine.store;

import io.tidegate.spi.Checkpoint;
import io.tidegate.spi.Replan;
import io.tidegate.spi.SplitPlan;
import io.tidegate.spi.SplitProgress;
import java.util.List;

/** One durable step of a checkpoint: what a record of a state file holds. */
sealed interface StateWrite {

    /** The checkpoint as it is, whatever it was before: the first record of each generation. */
    record Whole(Checkpoint checkpoint) implements StateWrite {}

    record Replanned(Replan replan) implements StateWrite {}

    record Progressed(List<SplitPlan> planned, List<SplitProgress> progress) implements StateWrite {

        public Progressed {
            planned = List.copyOf(planned);
            progress = List.copyOf(progress);
        }
    }
}
