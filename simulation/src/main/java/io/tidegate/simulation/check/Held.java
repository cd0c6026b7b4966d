package io.tidegate.simulation.check;

import io.tidegate.engine.PipelineOptions;
import io.tidegate.simulation.stage.Stage;

/** I15, as a source sees it: what a session was given and the target does not have yet. */
public final class Held {

    private static final int ROW_BYTES_MAX = 150;

    private final Stage stage;
    private long bytes;

    Held(Stage stage) {
        this.stage = stage;
    }

    /** A session of the source opens; nothing of another one is held any more. */
    public void begins() {
        bytes = 0;
    }

    /**
     * One of so many readers gave a change. Each may be filling a batch, and may have cut another one at the limit.
     */
    public void given(int size, int readers) {
        bytes += size;
        PipelineOptions options = stage.swarm().options();
        long batch = Math.min(options.batchBytes(), (long) options.batchChanges() * ROW_BYTES_MAX) + ROW_BYTES_MAX;
        long allowed = options.inFlightBytes() + 2L * readers * batch;
        stage.check(
                bytes <= allowed,
                "I15",
                () -> bytes + " bytes are read and not delivered, and " + allowed + " are the most that can be");
    }

    /** The sink reported them durable. */
    public void durable(long delivered) {
        bytes -= delivered;
    }
}
