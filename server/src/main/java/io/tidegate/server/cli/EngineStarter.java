package io.tidegate.server.cli;

import io.tidegate.server.config.ConfiguredPipeline;
import io.tidegate.spi.Disk;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.TidegateException;

/** Starts pipelines on the engine of this build. */
final class EngineStarter implements PipelineStarter {

    @Override
    public RunningPipeline start(ConfiguredPipeline pipeline, Disk disk) {
        throw new TidegateException(
                ErrorCode.INTERNAL, "This build has no engine, so pipeline " + pipeline.name() + " cannot run.");
    }
}
