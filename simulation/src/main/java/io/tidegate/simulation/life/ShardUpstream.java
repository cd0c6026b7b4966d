package io.tidegate.simulation.life;

import io.tidegate.simulation.check.Checks;
import io.tidegate.simulation.check.Ledger;
import io.tidegate.simulation.check.Lines;
import io.tidegate.simulation.check.Required;
import io.tidegate.simulation.check.ShardsRequired;
import io.tidegate.simulation.data.Cells;
import io.tidegate.simulation.data.LogChange;
import io.tidegate.simulation.data.Shards;
import io.tidegate.simulation.data.SimPosition;
import io.tidegate.simulation.sink.TargetDatabase;
import io.tidegate.simulation.source.ShardSource;
import io.tidegate.simulation.stage.Life;
import io.tidegate.simulation.stage.Stage;
import io.tidegate.spi.Source;
import io.tidegate.spi.SplitState;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** Shards with a lineage. */
final class ShardUpstream implements Upstream {

    private static final int SPLIT_ONE_IN = 10;
    private static final int RECORDS_MAX = 5;

    private final Stage stage;
    private final Shards shards;
    private ShardsRequired required;

    ShardUpstream(Stage stage) {
        this.stage = stage;
        this.shards = new Shards(stage);
        this.required = new ShardsRequired(stage, shards, new Ledger());
        for (int i = 0; i < stage.work().below(RECORDS_MAX); i++) {
            record();
        }
    }

    @Override
    public Required required(Ledger ledger) {
        required = new ShardsRequired(stage, shards, ledger);
        return required;
    }

    @Override
    public Source source(Checks checks, Life process) {
        return new ShardSource(new ShardSource.World(stage, shards, checks), process);
    }

    @Override
    public void write() {
        if (stage.work().below(SPLIT_ONE_IN) == 0) {
            shards.split(stage.work().below(shards.keys()));
        }
        for (int i = 0; i <= stage.work().below(RECORDS_MAX); i++) {
            record();
        }
    }

    private void record() {
        shards.put(stage.work().below(shards.keys()), stage.work().below(4) == 0);
    }

    @Override
    public void reconfigure() {}

    @Override
    public String behind(Checks checks) {
        if (checks.durable().splits().isEmpty()) {
            return "nothing is planned";
        }
        for (Shards.Shard shard : shards.all()) {
            SplitState split = checks.split(shard.id());
            if (!required.concerns(shard)) {
                continue;
            }
            if (split == null) {
                return "shard " + shard.id() + " is not planned";
            }
            SimPosition position =
                    (SimPosition) Objects.requireNonNull(split.progress().position());
            int size = shard.records().size();
            if (position.at() != size || split.progress().done() != shard.closed()) {
                return "shard " + shard.id() + " has " + size + " records, and the store holds " + split.progress();
            }
            if (shards.confirmed(shard.id()) != size) {
                return "shard " + shard.id() + " is persisted, and confirmed up to " + shards.confirmed(shard.id());
            }
        }
        return "";
    }

    @Override
    public void compareRows(Checks checks, TargetDatabase target) {
        Set<Integer> keys = new HashSet<>();
        for (Shards.Shard shard : shards.all()) {
            for (LogChange change : shard.records()) {
                if (required.requires(shard, change)) {
                    keys.add(change.key());
                }
            }
        }
        for (int key = 0; key < shards.keys(); key++) {
            int row = key;
            Cells there = target.rows(0).get(key);
            Cells source = keys.contains(key) ? shards.rows().get(key) : null;
            stage.check(
                    source == null ? there == null : there != null && source.same(there),
                    "I3",
                    () -> "row " + row + " is " + source + ", and at the target " + there);
        }
    }

    @Override
    public void compareLines(Checks checks, Lines lines) {
        for (Shards.Shard shard : shards.all()) {
            for (LogChange change : shard.records()) {
                stage.check(
                        !required.requires(shard, change) || lines.has(change.number()),
                        "I3",
                        () -> "change " + change + " of shard " + shard.id() + " is not in the log of the target");
            }
        }
        Map<Integer, Long> there = lines.replay(0);
        there.forEach((key, value) -> {
            Cells row = shards.rows().get(key);
            stage.check(
                    row != null && row.value() == value,
                    "I3",
                    () -> "row " + key + " is " + row + ", and the target's log amounts to " + value);
        });
    }
}
