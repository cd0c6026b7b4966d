package io.tidegate.connector.postgres.log;

import io.tidegate.spi.Change;
import io.tidegate.spi.ChangeOutput;
import io.tidegate.spi.Position;
import io.tidegate.spi.SplitPlan;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Keeps what a reader gives, in order; full when it holds so many changes that were not taken out. */
public final class TakenOutput implements ChangeOutput {

    private final int changesMax;
    private final List<Change> changes = new ArrayList<>();
    private final List<Position> markers = new ArrayList<>();

    public TakenOutput(int changesMax) {
        this.changesMax = changesMax;
    }

    @Override
    public void change(Change change, @Nullable Position resume) {
        if (resume != null) {
            throw new AssertionError("I5: a change of the log has no resume position");
        }
        changes.add(change);
    }

    @Override
    public void marker(Position position) {
        markers.add(position);
    }

    @Override
    public void planned(List<SplitPlan> plans) {
        throw new AssertionError("the log plans no splits");
    }

    @Override
    public boolean full() {
        return changes.size() >= changesMax;
    }

    public List<Change> changes() {
        return changes;
    }

    public List<Position> markers() {
        return markers;
    }
}
