package io.tidegate.server.hold;

import io.tidegate.engine.store.StateStore;
import io.tidegate.spi.Checkpoint;
import io.tidegate.spi.Replan;
import io.tidegate.spi.SplitPlan;
import io.tidegate.spi.SplitProgress;
import java.util.List;

/** Passes {@link HoldPoint#RECORDED}. */
record HeldStore(StateStore inner, Hold hold) implements StateStore {

    @Override
    public Checkpoint read() {
        return inner.read();
    }

    @Override
    public void replan(Replan replan) {
        inner.replan(replan);
        hold.pass(HoldPoint.RECORDED, 1);
    }

    @Override
    public void progress(List<SplitPlan> planned, List<SplitProgress> progress) {
        inner.progress(planned, progress);
    }

    @Override
    public void close() {
        inner.close();
    }
}
