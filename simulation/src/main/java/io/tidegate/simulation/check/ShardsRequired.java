package io.tidegate.simulation.check;

import io.tidegate.simulation.data.LogChange;
import io.tidegate.simulation.data.Shards;
import io.tidegate.simulation.data.SimPosition;
import io.tidegate.simulation.stage.Stage;
import io.tidegate.spi.Checkpoint;
import io.tidegate.spi.SplitPlan;
import io.tidegate.spi.SplitState;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The rule of shards: those of the first plan from where it says, all others from their beginning. */
public final class ShardsRequired implements Required {

    private final Stage stage;
    private final Shards shards;
    private final Ledger ledger;
    private @Nullable Map<String, Long> first;

    public ShardsRequired(Stage stage, Shards shards, Ledger ledger) {
        this.stage = stage;
        this.shards = shards;
        this.ledger = ledger;
    }

    @Override
    public boolean ofSnapshot(SplitPlan plan) {
        return false;
    }

    @Override
    public void planned(Checkpoint durable) {
        if (first == null && !durable.splits().isEmpty()) {
            Map<String, Long> starts = new HashMap<>();
            for (SplitState split : durable.splits()) {
                SimPosition start =
                        (SimPosition) Objects.requireNonNull(split.plan().start());
                starts.put(split.plan().id(), start.at());
            }
            first = starts;
        }
    }

    /** Where the delivery of a shard has to begin. */
    private long from(Shards.Shard shard) {
        return first == null || !concerns(shard) ? Long.MAX_VALUE : first.getOrDefault(shard.id(), 0L);
    }

    /** Whether it is one of the first plan, or descends from one; all others ended before there was a pipeline. */
    public boolean concerns(Shards.Shard shard) {
        String parent = shard.parent();
        return (first != null && first.containsKey(shard.id())) || (parent != null && concerns(shards.shard(parent)));
    }

    /** Whether a change has to be delivered. */
    public boolean requires(Shards.Shard shard, LogChange change) {
        return change.commitAt() >= from(shard);
    }

    @Override
    public boolean requires(long number) {
        return true;
    }

    @Override
    public void check(Checkpoint durable, SplitPlan plan, long at) {
        Shards.Shard shard = shards.shard(plan.id());
        stage.check(
                at <= shard.records().size(),
                "I3",
                () -> at + " of shard " + shard.id() + " is persisted, beyond its end");
        for (long index = Math.max(0, from(shard)); index < at; index++) {
            LogChange change = shard.records().get((int) index);
            stage.check(
                    ledger.landed(change.number()) > 0,
                    "I3",
                    () -> at + " of shard " + shard.id() + " is persisted, and change " + change + " is not delivered");
        }
    }
}
