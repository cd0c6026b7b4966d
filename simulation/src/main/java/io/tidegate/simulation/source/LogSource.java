package io.tidegate.simulation.source;

import io.tidegate.simulation.check.Checks;
import io.tidegate.simulation.data.Database;
import io.tidegate.simulation.data.SimPosition;
import io.tidegate.simulation.stage.Fault;
import io.tidegate.simulation.stage.Life;
import io.tidegate.simulation.stage.Stage;
import io.tidegate.spi.Checkpoint;
import io.tidegate.spi.Finding;
import io.tidegate.spi.Positions;
import io.tidegate.spi.Source;
import io.tidegate.spi.SourceContext;
import io.tidegate.spi.SourceSession;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/** Reads tables of the simulated database: snapshots in chunks, and the log behind them. */
public final class LogSource implements Source {

    private final World world;
    private final Life process;

    /**
     * What a session reads from.
     *
     * @param tables the configured tables, which can change at any time
     */
    public record World(Stage stage, Database database, Checks checks, Supplier<Set<Integer>> tables) {}

    public LogSource(World world, Life process) {
        this.world = world;
        this.process = process;
    }

    @Override
    public Positions positions() {
        return SimPosition.ORDER;
    }

    @Override
    public String system() {
        return "simulation";
    }

    @Override
    public List<Finding> check(Checkpoint durable) {
        return List.of();
    }

    @Override
    public SourceSession open(SourceContext context) {
        Calls calls = new Calls(world.stage(), process, world.checks().held());
        calls.pass("open", Fault.CONNECT_FAILS);
        return new LogSession(world, calls);
    }

    @Override
    public Removal removal(Checkpoint durable) {
        throw new UnsupportedOperationException("nothing is removed in a simulation");
    }
}
