package io.tidegate.testkit.fake;

import io.tidegate.engine.store.StateStore;
import io.tidegate.spi.Checkpoint;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.Replan;
import io.tidegate.spi.SplitPlan;
import io.tidegate.spi.SplitProgress;
import io.tidegate.spi.TidegateException;
import io.tidegate.testkit.fake.Trouble.Call;
import java.util.List;

/** A store that fails or hangs before or after the store behind it wrote. */
public final class TroubledStore implements StateStore {

    private final StateStore store;
    private final Trouble trouble;

    public TroubledStore(StateStore store, Trouble trouble) {
        this.store = store;
        this.trouble = trouble;
    }

    @Override
    public Checkpoint read() {
        before(Call.READ_STATE);
        return store.read();
    }

    @Override
    public void replan(Replan replan) {
        before(Call.WRITE_STATE);
        store.replan(replan);
        before(Call.STATE_WRITTEN);
    }

    @Override
    public void progress(List<SplitPlan> planned, List<SplitProgress> progress) {
        before(Call.WRITE_STATE);
        store.progress(planned, progress);
        before(Call.STATE_WRITTEN);
    }

    @Override
    public void close() {
        store.close();
    }

    private void before(Call call) {
        try {
            trouble.before(call, "");
        } catch (InterruptedException e) {
            throw new TidegateException(ErrorCode.STATE_WRITE, "interrupted", e);
        }
    }
}
