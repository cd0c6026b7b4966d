package io.tidegate.spi;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads and prints the text of single values: numbers, durations and sizes, within the limits of their setting. Nothing
 * parses to a default.
 */
public final class SettingText {

    private static final Pattern INTEGER = Pattern.compile("-?[0-9]{1,18}");
    private static final Pattern DURATION = Pattern.compile("([0-9]{1,12})(ms|s|m|h)");
    private static final Pattern SIZE = Pattern.compile("([0-9]{1,9})(B|KiB|MiB|GiB)");
    private static final Map<String, Long> MILLIS = Map.of("ms", 1L, "s", 1_000L, "m", 60_000L, "h", 3_600_000L);
    private static final Map<String, Long> BYTES = Map.of("B", 1L, "KiB", 1L << 10, "MiB", 1L << 20, "GiB", 1L << 30);

    /** A text that is not what its setting wants: what is wrong with it, and what to write. The text is not in it. */
    public static final class BadTextException extends Exception {
        private static final long serialVersionUID = 1;

        private final String cure;

        public BadTextException(String what, String cure) {
            super(what);
            this.cure = cure;
        }

        public String what() {
            return String.valueOf(getMessage());
        }

        public String cure() {
            return cure;
        }
    }

    private SettingText() {}

    public static boolean bool(String text) throws BadTextException {
        return switch (text) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new BadTextException("must be true or false", "Write true or false");
        };
    }

    public static String choice(Setting<?> setting, String text) throws BadTextException {
        if (setting.choices().contains(text)) {
            return text;
        }
        throw new BadTextException(
                "must be one of " + String.join(", ", setting.choices()),
                Nearest.of(text, setting.choices())
                        .map(near -> "Did you mean " + near + "?")
                        .orElse("Write one of them"));
    }

    public static long integer(Setting<?> setting, String text) throws BadTextException {
        if (!INTEGER.matcher(text).matches()) {
            throw new BadTextException(
                    "must be a whole number", "Write digits only, such as " + example(setting, "10"));
        }
        return within(setting, Long.parseLong(text));
    }

    public static Duration duration(Setting<?> setting, String text) throws BadTextException {
        Matcher matcher = DURATION.matcher(text);
        if (!matcher.matches()) {
            throw new BadTextException(
                    "must be a duration", "Write a number with ms, s, m or h, such as " + example(setting, "10s"));
        }
        return Duration.ofMillis(within(setting, scaled(matcher, MILLIS)));
    }

    public static long size(Setting<?> setting, String text) throws BadTextException {
        Matcher matcher = SIZE.matcher(text);
        if (!matcher.matches()) {
            throw new BadTextException(
                    "must be a size", "Write a number with B, KiB, MiB or GiB, such as " + example(setting, "1MiB"));
        }
        return within(setting, scaled(matcher, BYTES));
    }

    /** A limit in the way in which a user would write it. */
    public static String print(Setting<?> setting, long value) {
        return switch (setting.type()) {
            case DURATION -> largest(value, List.of("h", "m", "s", "ms"), MILLIS);
            case SIZE -> largest(value, List.of("GiB", "MiB", "KiB", "B"), BYTES);
            case TEXT, SECRET, CHOICE, BOOLEAN, INTEGER, LIST, MAP -> Long.toString(value);
        };
    }

    private static long scaled(Matcher matcher, Map<String, Long> units) {
        Long unit = units.get(matcher.group(2));
        return Long.parseLong(matcher.group(1)) * (unit == null ? 1 : unit);
    }

    private static String largest(long value, List<String> names, Map<String, Long> units) {
        for (String name : names) {
            Long unit = units.get(name);
            if (unit != null && value % unit == 0 && (value != 0 || unit == 1)) {
                return value / unit + name;
            }
        }
        return Long.toString(value);
    }

    private static long within(Setting<?> setting, long value) throws BadTextException {
        if (value < setting.min()) {
            throw new BadTextException("is too low", "Write " + print(setting, setting.min()) + " or more");
        }
        if (value > setting.max()) {
            throw new BadTextException("is too high", "Write " + print(setting, setting.max()) + " or less");
        }
        return value;
    }

    private static String example(Setting<?> setting, String otherwise) {
        String text = setting.defaultText();
        return text == null ? otherwise : text;
    }
}
