package io.tidegate.simulation.source;

import io.tidegate.simulation.data.Shards;
import io.tidegate.simulation.data.SimPosition;
import io.tidegate.simulation.stage.Fault;
import io.tidegate.simulation.stage.Seen;
import io.tidegate.spi.Checkpoint;
import io.tidegate.spi.Position;
import io.tidegate.spi.Preparation;
import io.tidegate.spi.Replan;
import io.tidegate.spi.SourceRecord;
import io.tidegate.spi.SourceSession;
import io.tidegate.spi.SplitPlan;
import io.tidegate.spi.SplitProgress;
import io.tidegate.spi.SplitReader;
import io.tidegate.spi.SplitState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One attempt at reading the simulated shards. */
final class ShardSession implements SourceSession {

    private static final int READERS_MAX = 64;

    private final ShardSource.World world;
    private final Calls calls;
    private final Set<String> known = new HashSet<>();
    private final Map<String, SplitPlan> found = new HashMap<>();
    private int readers;

    ShardSession(ShardSource.World world, Calls calls) {
        this.world = world;
        this.calls = calls;
    }

    @Override
    public Preparation prepare(Checkpoint durable) {
        calls.pass("prepare", Fault.PREPARE_FAILS);
        if (durable.splits().isEmpty()) {
            List<SplitPlan> first = new ArrayList<>();
            for (Shards.Shard shard : world.shards().all()) {
                if (!shard.closed()) {
                    long latest = shard.records().size();
                    first.add(new SplitPlan(shard.id(), List.of(), SimPosition.of(latest), "", shard.id()));
                }
            }
            calls.process.pass("first plan");
            return new Preparation.Write(new Replan(SourceRecord.EMPTY.with("stream", "here"), Set.of(), first));
        }
        for (SplitState split : durable.splits()) {
            known.add(split.plan().id());
            confirm(split.progress());
        }
        return new Preparation.Ready(false, READERS_MAX);
    }

    @Override
    public SplitReader open(SplitPlan plan, @Nullable Position from) {
        calls.pass("open of " + plan.id(), Fault.SPLIT_OPEN_FAILS);
        calls.hang("open of " + plan.id(), Fault.SPLIT_OPEN_HANGS);
        world.checks().opens(plan, from);
        readers++;
        calls.readerOpens();
        long at = ((SimPosition) Objects.requireNonNull(from)).at();
        if (!plan.after().isEmpty() && at == 0) {
            world.stage().saw(Seen.SHARD_FOUND_BEFORE_ITS_FIRST_CHECKPOINT_AGAIN);
        }
        return new ShardReader(
                world, calls, this, new ShardReader.Opening(world.shards().shard(plan.id()), at));
    }

    void readerClosed() {
        readers--;
    }

    /**
     * The children of a shard, or of all that are known; those that were found before are left out, but what comes before a
     * new one is said again: the engine may not have heard of it yet.
     */
    List<SplitPlan> find(Shards.@Nullable Shard parent, Seen how) {
        List<SplitPlan> all = new ArrayList<>();
        for (Shards.Shard shard : world.shards().all()) {
            String before = shard.parent();
            boolean child = before != null && known.contains(before) && (parent == null || before.equals(parent.id()));
            if (child && known.add(shard.id())) {
                SplitPlan plan = new SplitPlan(shard.id(), List.of(before), SimPosition.of(0), "", shard.id());
                found.put(shard.id(), plan);
                world.stage().saw(how);
                all.addAll(line(plan));
            }
        }
        return all;
    }

    /** A plan behind those of its ancestors that this session found. */
    private List<SplitPlan> line(SplitPlan plan) {
        List<SplitPlan> line = new ArrayList<>();
        for (SplitPlan each = plan; each != null; each = found.get(each.after().get(0))) {
            line.add(0, each);
        }
        return line;
    }

    @Override
    public List<SplitPlan> tend() {
        calls.pass("tend", Fault.TEND_FAILS);
        return find(null, Seen.CHILD_FOUND_BY_TEND);
    }

    @Override
    public boolean acknowledge(SplitProgress durable) {
        calls.pass("acknowledge", Fault.ACKNOWLEDGEMENT_FAILS);
        if (world.stage().faults().strikes(Fault.ACKNOWLEDGEMENT_PUT_OFF, Calls.PUT_OFF_ONE_IN)) {
            return false;
        }
        confirm(durable);
        return true;
    }

    private void confirm(SplitProgress durable) {
        world.checks().acknowledges(durable);
        if (durable.position() instanceof SimPosition position) {
            world.checks().confirms(durable.id(), position.at());
            world.shards().confirm(durable.id(), position.at());
        }
    }

    @Override
    public void abort() {
        calls.abort();
    }

    @Override
    public void close() {
        world.stage()
                .check(
                        readers == 0 || calls.aborted(),
                        "I2",
                        () -> "a session of the source is closed before its readers");
    }
}
