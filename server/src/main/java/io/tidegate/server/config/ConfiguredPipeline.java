package io.tidegate.server.config;

import io.tidegate.spi.Sink;
import io.tidegate.spi.Source;
import java.nio.file.Path;

/**
 * A pipeline's file, read and checked; nothing is open. Immutable.
 *
 * @param file as it was given
 * @param sourceName the connector's name, as is {@code sinkName}
 */
public record ConfiguredPipeline(
        Path file, PipelineConfig config, String sourceName, Source source, String sinkName, Sink sink) {

    public String name() {
        return config.name();
    }
}
