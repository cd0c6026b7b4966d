package io.tidegate.spi;

import java.util.List;

/** A kind of source; found by {@link java.util.ServiceLoader}. */
public interface SourceConnector {

    /** The key under {@code source:} that chooses it. */
    String name();

    List<Setting<?>> settings();

    /**
     * Checks the settings against each other ({@link Settings#invalid}) and makes the source; opens nothing. What is made
     * from settings that were called invalid is thrown away.
     */
    Source create(Settings settings);

    /** How the URLs begin that {@link #discover} understands, such as {@code postgresql://}; none if it understands none. */
    default List<String> urlPrefixes() {
        return List.of();
    }

    /**
     * Connects, and looks at everything that is there. Changes nothing.
     *
     * @throws TidegateException the URL is wrong, or does not lead to anything
     */
    default Discovery discover(Discovery.Request request) {
        throw new UnsupportedOperationException(name() + " understands no URL");
    }
}
