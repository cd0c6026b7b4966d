package io.tidegate.simulation.source;

import io.tidegate.simulation.data.LogRecord;
import io.tidegate.simulation.data.SimPosition;
import io.tidegate.simulation.stage.Fault;
import io.tidegate.simulation.stage.Seen;
import io.tidegate.spi.Checkpoint;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.Position;
import io.tidegate.spi.Preparation;
import io.tidegate.spi.SourceSession;
import io.tidegate.spi.SplitPlan;
import io.tidegate.spi.SplitProgress;
import io.tidegate.spi.SplitReader;
import io.tidegate.spi.SplitState;
import io.tidegate.spi.TidegateException;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One attempt at reading the simulated database. */
final class LogSession implements SourceSession {

    private static final int READERS_MAX = 3;

    private final LogSource.World world;
    private final Calls calls;
    private final LogBirth birth;
    private LogRecord record = new LogRecord(Checkpoint.EMPTY.source());
    private Set<Integer> tables = Set.of();
    private int readers;

    LogSession(LogSource.World world, Calls calls) {
        this.world = world;
        this.calls = calls;
        this.birth = new LogBirth(world, calls);
    }

    @Override
    public Preparation prepare(Checkpoint durable) {
        calls.pass("prepare", Fault.PREPARE_FAILS);
        if (tables.isEmpty()) {
            tables = world.tables().get(); // one session plans for the same tables throughout
        }
        Preparation next = birth.next(durable, tables);
        if (next instanceof Preparation.Ready) {
            record = new LogRecord(durable.source());
            for (SplitState split : durable.splits()) {
                confirm(split.plan(), split.progress());
            }
            return new Preparation.Ready(false, READERS_MAX);
        }
        return next;
    }

    @Override
    public SplitReader open(SplitPlan plan, @Nullable Position from) {
        calls.pass("open of " + plan.id(), Fault.SPLIT_OPEN_FAILS);
        calls.hang("open of " + plan.id(), Fault.SPLIT_OPEN_HANGS);
        world.checks().opens(plan, from);
        readers++;
        calls.readerOpens();
        world.stage().check(readers <= READERS_MAX, "I15", () -> readers + " readers at once");
        if (from instanceof SimPosition position) {
            return new LogReader(world, calls, this, new LogReader.Opening(plan.id(), position, record));
        }
        return new ChunkReader(world, calls, this, birth.chunk(plan));
    }

    void readerClosed() {
        readers--;
    }

    @Override
    public List<SplitPlan> tend() {
        calls.pass("tend", Fault.TEND_FAILS);
        if (!tables.equals(world.tables().get())) {
            world.stage().saw(Seen.TABLES_CHANGED_WHILE_RUNNING);
            throw new TidegateException(ErrorCode.TABLES_CHANGED, "the tables are others now");
        }
        return List.of();
    }

    @Override
    public boolean acknowledge(SplitProgress durable) {
        calls.pass("acknowledge", Fault.ACKNOWLEDGEMENT_FAILS);
        if (world.stage().faults().strikes(Fault.ACKNOWLEDGEMENT_PUT_OFF, Calls.PUT_OFF_ONE_IN)) {
            return false;
        }
        SplitState split = world.checks().split(durable.id());
        if (split != null) {
            confirm(split.plan(), durable);
        }
        return true;
    }

    void confirm(SplitPlan plan, SplitProgress durable) {
        world.checks().acknowledges(durable);
        if (durable.position() instanceof SimPosition position) {
            world.checks().confirms(plan.id(), position.at());
            world.database().confirm(position.at());
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
