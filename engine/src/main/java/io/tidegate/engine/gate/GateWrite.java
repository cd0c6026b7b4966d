package io.tidegate.engine.gate;

import io.tidegate.spi.SplitPlan;
import io.tidegate.spi.SplitProgress;
import java.util.List;

/** One write of the store: all or nothing. Plans are written once, progress only where it changed. */
public record GateWrite(List<SplitPlan> planned, List<SplitProgress> progress) {

    public GateWrite {
        planned = List.copyOf(planned);
        progress = List.copyOf(progress);
    }
}
