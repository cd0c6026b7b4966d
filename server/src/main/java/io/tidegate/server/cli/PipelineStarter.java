package io.tidegate.server.cli;

import io.tidegate.server.config.ConfiguredPipeline;
import io.tidegate.spi.Disk;

/** Starts pipelines. */
public interface PipelineStarter {

    /**
     * Returns at once; whatever goes wrong is the pipeline's outcome.
     *
     * @throws io.tidegate.spi.TidegateException it cannot even be started
     */
    RunningPipeline start(ConfiguredPipeline pipeline, Disk disk);
}
