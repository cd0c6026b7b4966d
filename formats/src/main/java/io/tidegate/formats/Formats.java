package io.tidegate.formats;

import io.tidegate.spi.ChangeEncoder;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/** The formats by the names that a configuration gives them. */
public final class Formats {

    /** The format of a pipeline that names none. */
    public static final String DEFAULT = "json";

    private static final Map<String, Supplier<ChangeEncoder>> BY_NAME =
            new TreeMap<>(Map.of(DEFAULT, JsonEncoder::new, "flat", FlatEncoder::new));

    private Formats() {}

    /** All names, sorted. */
    public static List<String> names() {
        return List.copyOf(BY_NAME.keySet());
    }

    /**
     * A new encoder, which belongs to the thread that uses it.
     *
     * @throws IllegalArgumentException if no format has this name
     */
    public static ChangeEncoder encoder(String name) {
        Supplier<ChangeEncoder> factory = BY_NAME.get(name);
        if (factory == null) {
            throw new IllegalArgumentException("no format is called '" + name + "'; there are " + names());
        }
        return factory.get();
    }
}
