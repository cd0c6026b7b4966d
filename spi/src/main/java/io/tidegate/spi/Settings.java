package io.tidegate.spi;

import java.nio.file.Path;
import java.util.Optional;

/** The values of a connector's settings, checked against their {@link Setting}s. Immutable. */
public interface Settings {

    /**
     * The given value, else the default.
     *
     * @throws IllegalStateException if it has neither
     */
    <T> T get(Setting<T> setting);

    /** The given value, else the default, else nothing. */
    <T> Optional<T> find(Setting<T> setting);

    /** The folder of the configuration file; relative paths start here. */
    Path folder();

    /** The pipeline's name. */
    String pipeline();

    /**
     * Says that a value is wrong for a reason that only the connector knows: reported with its line, beside all others.
     *
     * @param cure what to write instead
     */
    void invalid(Setting<?> setting, String problem, String cure);
}
