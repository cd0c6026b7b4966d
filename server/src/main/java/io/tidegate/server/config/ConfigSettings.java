package io.tidegate.server.config;

import io.tidegate.spi.Secret;
import io.tidegate.spi.Setting;
import io.tidegate.spi.SettingText;
import io.tidegate.spi.Settings;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The values of one block of a file. */
final class ConfigSettings implements Settings {

    private final Section section;
    private final Path folder;
    private final String pipeline;
    private final Problems problems;

    ConfigSettings(Section section, Path folder, String pipeline, Problems problems) {
        this.section = section;
        this.folder = folder;
        this.pipeline = pipeline;
        this.problems = problems;
    }

    /** A value is asked for that is wrong or missing, which is among the problems already: nothing can be made of it. */
    static final class UnusableException extends IllegalStateException {
        private static final long serialVersionUID = 1;

        UnusableException(String key) {
            super("the value of " + key + " cannot be used");
        }
    }

    @Override
    public <T> T get(Setting<T> setting) {
        return find(setting)
                .orElseThrow(() -> new IllegalStateException(
                        "setting " + section.prefix + setting.key() + " has neither a value nor a default"));
    }

    /** The type of a value is what {@link Setting.Type} says; only the factory methods of a setting choose both. */
    @Override
    @SuppressWarnings("unchecked")
    public <T> Optional<T> find(Setting<T> setting) {
        if (section.unusable.contains(setting.key())) {
            throw new UnusableException(section.prefix + setting.key());
        }
        Object given = section.values.get(setting.key());
        return (Optional<T>) Optional.ofNullable(given == null ? defaultOf(setting) : given);
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
        section.unusable.add(setting.key());
        problems.add(
                section.lineOf(setting.key()),
                section.prefix + setting.key(),
                section.redact(problem),
                section.redact(cure));
    }

    private static @Nullable Object defaultOf(Setting<?> setting) {
        String text = setting.defaultText();
        if (text == null) {
            return null;
        }
        try {
            return switch (setting.type()) {
                case TEXT -> text;
                case SECRET -> new Secret(text);
                case CHOICE -> SettingText.choice(setting, text);
                case BOOLEAN -> SettingText.bool(text);
                case INTEGER -> SettingText.integer(setting, text);
                case DURATION -> SettingText.duration(setting, text);
                case SIZE -> SettingText.size(setting, text);
                case LIST, MAP ->
                    throw new IllegalStateException(setting.key() + " has a default, which lists cannot have");
            };
        } catch (SettingText.BadTextException e) {
            throw new IllegalStateException("the default of " + setting.key() + " " + e.what(), e);
        }
    }
}
