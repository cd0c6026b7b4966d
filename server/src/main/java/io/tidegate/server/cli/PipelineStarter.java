package io.tidegate.server.cli;

import io.tidegate.engine.store.StateStore;
import io.tidegate.server.config.ConfiguredPipeline;
import io.tidegate.spi.Disk;
import java.util.function.Function;

/** Starts pipelines. */
public interface PipelineStarter {

    /**
     * Returns at once; whatever goes wrong is the pipeline's outcome.
     *
     * @param store opens the pipeline's state over a disk, on the thread that will own it
     * @throws io.tidegate.spi.TidegateException it cannot even be started
     */
    RunningPipeline start(ConfiguredPipeline pipeline, Disk disk, Function<Disk, StateStore> store);
}
