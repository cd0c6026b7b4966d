package io.tidegate.spi;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One key of the configuration: its type, default, limits and meaning, in one place. The configuration page is compared
 * with these.
 *
 * @param key below the connector's name, dotted for nested keys
 * @param type what its text must be
 * @param defaultText as a user would write it; null: no default
 * @param required must be given
 * @param min lowest value of a number, duration (milliseconds) or size (bytes)
 * @param max highest value of the same
 * @param choices the words that a {@link Type#CHOICE} can be
 * @param doc one or two sentences for the configuration page
 */
public record Setting<T>(
        String key,
        Type type,
        @Nullable String defaultText,
        boolean required,
        long min,
        long max,
        List<String> choices,
        String doc) {

    /** How the text of a setting is read. */
    public enum Type {
        /** {@link String}. */
        TEXT,
        /** {@link Secret}. */
        SECRET,
        /** {@link String}, one of the choices. */
        CHOICE,
        /** {@link Boolean}. */
        BOOLEAN,
        /** {@link Long}. */
        INTEGER,
        /** {@link Duration}: {@code 500ms}, {@code 10s}, {@code 5m}, {@code 1h}. */
        DURATION,
        /** {@link Long}, bytes: {@code 64KiB}, {@code 80MiB}, {@code 1GiB}. */
        SIZE,
        /** {@code List<String>}. */
        LIST,
        /** {@code Map<String, String>}: keys and values are free text. */
        MAP
    }

    public static Setting<String> text(String key, @Nullable String defaultText, String doc) {
        return new Setting<>(key, Type.TEXT, defaultText, false, 0, 0, List.of(), doc);
    }

    public static Setting<Secret> secret(String key, String doc) {
        return new Setting<>(key, Type.SECRET, null, false, 0, 0, List.of(), doc);
    }

    public static Setting<String> choice(String key, String defaultText, List<String> choices, String doc) {
        return new Setting<>(key, Type.CHOICE, defaultText, false, 0, 0, choices, doc);
    }

    public static Setting<Boolean> bool(String key, boolean defaultValue, String doc) {
        return new Setting<>(key, Type.BOOLEAN, String.valueOf(defaultValue), false, 0, 0, List.of(), doc);
    }

    public static Setting<Long> integer(String key, long defaultValue, long min, long max, String doc) {
        return new Setting<>(key, Type.INTEGER, String.valueOf(defaultValue), false, min, max, List.of(), doc);
    }

    public static Setting<Duration> duration(String key, String defaultText, Duration min, Duration max, String doc) {
        return new Setting<>(key, Type.DURATION, defaultText, false, min.toMillis(), max.toMillis(), List.of(), doc);
    }

    public static Setting<Long> size(String key, String defaultText, long min, long max, String doc) {
        return new Setting<>(key, Type.SIZE, defaultText, false, min, max, List.of(), doc);
    }

    public static Setting<List<String>> list(String key, String doc) {
        return new Setting<>(key, Type.LIST, null, false, 0, 0, List.of(), doc);
    }

    public static Setting<Map<String, String>> map(String key, String doc) {
        return new Setting<>(key, Type.MAP, null, false, 0, 0, List.of(), doc);
    }

    /** The same setting, which must be given. */
    public Setting<T> mandatory() {
        return new Setting<>(key, type, defaultText, true, min, max, choices, doc);
    }
}
