package io.tidegate.testkit.settings;

import io.tidegate.spi.Secret;
import io.tidegate.spi.Setting;
import io.tidegate.spi.Settings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Settings from a map of texts; lists are separated by blanks. Limits are not looked at, so that a test can choose small sizes,
 * and what is called invalid is only noted.
 */
public final class MapSettings implements Settings {

    private final Map<String, String> values;
    private final List<String> invalid = new ArrayList<>();

    public MapSettings(Map<String, String> values) {
        this.values = new TreeMap<>(values);
    }

    /** What was called invalid: key, problem and cure. */
    public List<String> invalid() {
        return invalid;
    }

    @Override
    public <T> T get(Setting<T> setting) {
        return find(setting).orElseThrow(() -> new IllegalStateException("no " + setting.key()));
    }

    @Override
    @SuppressWarnings("unchecked")
    public <T> Optional<T> find(Setting<T> setting) {
        String text = values.getOrDefault(setting.key(), setting.defaultText());
        if (text == null) {
            return Optional.empty();
        }
        Object value = switch (setting.type()) {
            case TEXT, CHOICE -> text;
            case SECRET -> new Secret(text);
            case BOOLEAN -> Boolean.valueOf(text);
            case INTEGER -> Long.valueOf(text);
            case SIZE -> size(text);
            case LIST -> List.of(text.split(" ", -1));
            case DURATION ->
                Duration.ofMillis(Long.parseLong(text.replaceAll("m?s$", "")) * (text.endsWith("ms") ? 1 : 1000));
            case MAP -> throw new IllegalStateException("not used: " + setting.key());
        };
        return Optional.of((T) value);
    }

    private static Long size(String text) {
        long unit = text.endsWith("MiB") ? 1 << 20 : text.endsWith("KiB") ? 1 << 10 : 1;
        return Long.parseLong(text.replaceAll("[A-Za-z]", "")) * unit;
    }

    @Override
    public Path folder() {
        return Path.of("/etc/tidegate");
    }

    @Override
    public String pipeline() {
        return "shop";
    }

    @Override
    public void invalid(Setting<?> setting, String problem, String cure) {
        invalid.add(setting.key() + ": " + problem + " | " + cure);
    }
}
