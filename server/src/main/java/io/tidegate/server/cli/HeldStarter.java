package io.tidegate.server.cli;

import io.tidegate.engine.store.StateStore;
import io.tidegate.server.config.ConfiguredPipeline;
import io.tidegate.server.hold.Hold;
import io.tidegate.spi.Disk;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Starts pipelines whose source, sink and store pass a {@link Hold}. */
final class HeldStarter implements PipelineStarter {

    private final PipelineStarter inner;
    private final String hold;

    private HeldStarter(PipelineStarter inner, String hold) {
        this.inner = inner;
        this.hold = hold;
    }

    /**
     * This very starter, unless a hold is asked for.
     *
     * @param property the value of {@link Hold#PROPERTY}, or null
     */
    static PipelineStarter around(PipelineStarter starter, @Nullable String property) {
        return property == null ? starter : new HeldStarter(starter, property);
    }

    @Override
    public RunningPipeline start(ConfiguredPipeline pipeline, Disk disk, Function<Disk, StateStore> store) {
        Hold parsed = Hold.parse(hold);
        ConfiguredPipeline held = new ConfiguredPipeline(
                pipeline.file(),
                pipeline.config(),
                pipeline.sourceName(),
                parsed.source(pipeline.source()),
                pipeline.sinkName(),
                parsed.sink(pipeline.sink()));
        return inner.start(held, disk, real -> parsed.store(store.apply(parsed.disk(real))));
    }
}
