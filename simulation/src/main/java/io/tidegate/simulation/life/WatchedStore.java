package io.tidegate.simulation.life;

import io.tidegate.engine.store.StateStore;
import io.tidegate.simulation.check.Checks;
import io.tidegate.spi.Checkpoint;
import io.tidegate.spi.Replan;
import io.tidegate.spi.SplitPlan;
import io.tidegate.spi.SplitProgress;
import java.util.List;

/** The real store, with the checks told of what is written and what it confirms. */
final class WatchedStore implements StateStore {

    private final StateStore store;
    private final Checks checks;

    WatchedStore(StateStore store, Checks checks) {
        this.store = store;
        this.checks = checks;
    }

    @Override
    public Checkpoint read() {
        Checkpoint found = store.read();
        checks.read(found);
        return found;
    }

    @Override
    public void replan(Replan replan) {
        write(true, List.of(), () -> store.replan(replan));
    }

    @Override
    public void progress(List<SplitPlan> planned, List<SplitProgress> progress) {
        write(false, progress, () -> store.progress(planned, progress));
    }

    private void write(boolean step, List<SplitProgress> progress, Runnable write) {
        checks.writes(step, progress);
        try {
            write.run();
        } catch (RuntimeException e) {
            checks.writeFailed();
            throw e;
        }
        checks.wrote(store.read());
    }

    @Override
    public void close() {
        store.close();
    }
}
