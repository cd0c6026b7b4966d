package io.tidegate.spi;

import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Settings that are given in code, each as a pipeline's file would have it: a text, a number or true and false; a list or a map
 * of texts. Without references: a dollar sign and a brace are two characters. What is wrong is thrown at once. Immutable.
 */
public final class GivenSettings implements Settings {

    private final String subject;
    private final String pipeline;
    private final Path folder;
    private final Map<String, Object> values = new LinkedHashMap<>();

    /**
     * Checks the values against the settings.
     *
     * @param subject named in messages, such as "source postgres"
     * @param folder where relative paths start
     * @param known all settings that there are
     * @param given by key; nested keys are dotted
     * @throws TidegateException {@link ErrorCode#CONFIG_INVALID}: a key is not known or missing, or a value is wrong. No
     *     value is in the message
     */
    public GivenSettings(String subject, String pipeline, Path folder, List<Setting<?>> known, Map<String, ?> given) {
        this.subject = subject;
        this.pipeline = pipeline;
        this.folder = folder.toAbsolutePath().normalize();
        Map<String, Setting<?>> byKey = known.stream()
                .collect(Collectors.toMap(Setting::key, setting -> setting, (a, b) -> a, LinkedHashMap::new));
        given.forEach((key, value) -> {
            Setting<?> setting = byKey.get(key);
            if (setting == null) {
                throw wrong(
                        key,
                        "is not a known key",
                        Nearest.of(key, byKey.keySet())
                                .map(near -> "Did you mean " + near + "?")
                                .orElse("Known are " + String.join(", ", byKey.keySet())));
            }
            values.put(key, read(setting, value));
        });
        for (Setting<?> setting : known) {
            if (setting.required() && !values.containsKey(setting.key())) {
                throw wrong(setting.key(), "is missing", "Add it: " + setting.doc());
            }
        }
    }

    @Override
    public <T> T get(Setting<T> setting) {
        return find(setting)
                .orElseThrow(() -> new IllegalStateException(
                        subject + ": " + setting.key() + " has neither a value nor a default"));
    }

    /** The type of a value is what {@link Setting.Type} says; only the factory methods of a setting choose both. */
    @Override
    @SuppressWarnings("unchecked")
    public <T> Optional<T> find(Setting<T> setting) {
        Object value = values.get(setting.key());
        String text = setting.defaultText();
        return (Optional<T>) Optional.ofNullable(value != null || text == null ? value : read(setting, text));
    }

    @Override
    public Path folder() {
        return folder;
    }

    @Override
    public String pipeline() {
        return pipeline;
    }

    @Override
    public void invalid(Setting<?> setting, String problem, String cure) {
        throw wrong(setting.key(), problem, cure);
    }

    private Object read(Setting<?> setting, Object value) {
        try {
            return switch (setting.type()) {
                case LIST -> list(value);
                case MAP -> map(value);
                case TEXT, SECRET, CHOICE, BOOLEAN, INTEGER, DURATION, SIZE -> scalar(setting, text(value));
            };
        } catch (SettingText.BadTextException e) {
            throw wrong(setting.key(), e.what(), e.cure());
        }
    }

    private static Object scalar(Setting<?> setting, String text) throws SettingText.BadTextException {
        return switch (setting.type()) {
            case TEXT -> text;
            case SECRET -> new Secret(text);
            case CHOICE -> SettingText.choice(setting, text);
            case BOOLEAN -> SettingText.bool(text);
            case INTEGER -> SettingText.integer(setting, text);
            case DURATION -> SettingText.duration(setting, text);
            case SIZE -> SettingText.size(setting, text);
            case LIST, MAP -> throw new IllegalArgumentException(setting.key() + " is not a single value");
        };
    }

    private static String text(@Nullable Object value) throws SettingText.BadTextException {
        if (value instanceof Secret secret) {
            return secret.reveal();
        }
        if (value instanceof Duration duration) {
            return duration.toMillis() + "ms";
        }
        if (value instanceof String || value instanceof Boolean || value instanceof Integer || value instanceof Long) {
            return value.toString();
        }
        throw new SettingText.BadTextException("must be a single value", "Give a text, a number, true or false");
    }

    private static List<String> list(@Nullable Object value) throws SettingText.BadTextException {
        if (value instanceof List<?> list && list.stream().allMatch(String.class::isInstance)) {
            return list.stream().map(String.class::cast).toList();
        }
        throw new SettingText.BadTextException("must be a list of texts", "Give List.of(\"a\", \"b\")");
    }

    private static Map<String, String> map(@Nullable Object value) throws SettingText.BadTextException {
        if (value instanceof Map<?, ?> map
                && map.entrySet().stream()
                        .allMatch(entry -> entry.getKey() instanceof String && entry.getValue() instanceof String)) {
            return map.entrySet().stream()
                    .collect(Collectors.toUnmodifiableMap(
                            entry -> (String) entry.getKey(), entry -> (String) entry.getValue()));
        }
        throw new SettingText.BadTextException("must be a map of texts", "Give Map.of(\"key\", \"value\")");
    }

    private TidegateException wrong(String key, String problem, String cure) {
        return new TidegateException(
                ErrorCode.CONFIG_INVALID, subject + ": " + key + ": " + problem + ".", sentence(cure), null);
    }

    private static String sentence(String text) {
        return text.isEmpty() || text.endsWith(".") || text.endsWith("?") ? text : text + ".";
    }
}
