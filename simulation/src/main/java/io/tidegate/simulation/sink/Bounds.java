package io.tidegate.simulation.sink;

import io.tidegate.engine.PipelineOptions;
import io.tidegate.simulation.check.Held;
import io.tidegate.simulation.data.SimOrigin;
import io.tidegate.simulation.stage.Seen;
import io.tidegate.simulation.stage.Stage;
import io.tidegate.simulation.stage.Swarm;
import io.tidegate.spi.Batch;
import java.util.HashSet;
import java.util.Set;

/** I15, as a sink sees it: how much it holds that is not durable. */
public final class Bounds {

    /** A row may be as large as this, and one passes beyond a limit. */
    private static final int ROW_BYTES_MAX = 150;

    private final Stage stage;
    private final PipelineOptions options;
    private final Held delivered;
    private final Set<Batch> held = new HashSet<>();
    private long lastAt = -1;

    public Bounds(Stage stage, Held delivered) {
        this.delivered = delivered;
        this.stage = stage;
        this.options = stage.swarm().options();
    }

    public void accepted(Batch batch) {
        held.add(batch);
        stage.check(
                held.size() <= options.inFlightBatches(),
                "I15",
                () -> "the sink holds " + held.size() + " batches, and " + options.inFlightBatches() + " are allowed");
        long bytes = held.stream().mapToLong(Batch::bytes).sum();
        long allowed = options.inFlightBytes() + options.batchBytes() + ROW_BYTES_MAX;
        stage.check(
                bytes <= allowed,
                "I15",
                () -> "the sink holds " + bytes + " bytes, and " + allowed + " are the most that can be");
        stage.check(!batch.changes().isEmpty(), "I7", () -> "a batch of nothing");
        SimOrigin first = (SimOrigin) batch.changes().get(0).origin();
        SimOrigin last =
                (SimOrigin) batch.changes().get(batch.changes().size() - 1).origin();
        if (first.number() > 0 && first.at() == lastAt && stage.swarm().upstream() == Swarm.Upstream.LOG) {
            stage.saw(Seen.TRANSACTION_CUT);
        }
        lastAt = last.number() > 0 ? last.at() : -1;
    }

    /** It is durable, and said to be. */
    public void durable(Batch batch) {
        held.remove(batch);
        delivered.durable(batch.bytes());
    }

    /** It is refused, and comes again. */
    public void gone(Batch batch) {
        held.remove(batch);
    }
}
