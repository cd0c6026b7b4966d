package io.tidegate.simulation.source;

import io.tidegate.simulation.check.Checks;
import io.tidegate.simulation.data.Shards;
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

/** Reads the simulated shards: from now on those that are there at birth, all others from their beginning. */
public final class ShardSource implements Source {

    private final World world;
    private final Life process;

    /** What a session reads from. */
    public record World(Stage stage, Shards shards, Checks checks) {}

    public ShardSource(World world, Life process) {
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
        return new ShardSession(world, calls);
    }

    @Override
    public Removal removal(Checkpoint durable) {
        throw new UnsupportedOperationException("nothing is removed in a simulation");
    }
}
