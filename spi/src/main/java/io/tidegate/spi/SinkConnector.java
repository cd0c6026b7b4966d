package io.tidegate.spi;

import java.util.List;

/** A kind of sink; found by {@link java.util.ServiceLoader}. */
public interface SinkConnector {

    /** The key under {@code sink:} that chooses it. */
    String name();

    List<Setting<?>> settings();

    /** As {@link SourceConnector#create}. */
    Sink create(Settings settings);
}
