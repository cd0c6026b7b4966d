package io.tidegate.connector.files;

import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.TidegateException;
import java.nio.charset.StandardCharsets;
import java.util.OptionalLong;

/** The names of files: which letters they may hold, and how they are numbered. */
final class FileNames {

    /** What a file has that is complete. */
    static final String FINISHED = ".jsonl";

    /** What a file has that is being written. */
    static final String OPEN = ".jsonl.open";

    private static final int ESCAPED_MAX = 200;
    private static final int DIGITS_MIN = 8;
    private static final int DIGITS_MAX = 18;

    private FileNames() {}

    /**
     * The name as part of a path: {@code a-z 0-9 _ -} stay, a capital becomes {@code +} and its small letter, every other
     * byte of UTF-8 {@code %} and two digits, and the empty name {@code %}. So no two names meet, on a file system that
     * takes capitals for small letters either; none is a path; and each can be read back.
     */
    static String escape(String name) {
        StringBuilder escaped = new StringBuilder(name.isEmpty() ? "%" : "");
        for (byte b : name.getBytes(StandardCharsets.UTF_8)) {
            char c = (char) (b & 0xff);
            if (plain(c)) {
                escaped.append(c);
            } else if (c >= 'A' && c <= 'Z') {
                escaped.append('+').append((char) (c + ('a' - 'A')));
            } else {
                escaped.append('%').append(Character.forDigit(c >> 4, 16)).append(Character.forDigit(c & 15, 16));
            }
        }
        if (escaped.length() > ESCAPED_MAX) {
            throw new TidegateException(
                    ErrorCode.CONFIG_INVALID,
                    "the name '" + name + "' gives a file name of more than " + ESCAPED_MAX + " letters",
                    "Use 'files: single' for this table.",
                    null);
        }
        return escaped.toString();
    }

    /** Whether {@link #escape} could have given this. */
    static boolean escaped(String text) {
        return !text.isEmpty() && text.chars().allMatch(c -> plain(c) || c == '+' || c == '%');
    }

    private static boolean plain(int c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    }

    static String numbered(String stream, long number, String suffix) {
        String digits = Long.toString(number);
        return stream + "-" + "0".repeat(Math.max(0, DIGITS_MIN - digits.length())) + digits + suffix;
    }

    /** The stream that a file with this suffix belongs to; empty if it is none of ours. */
    static String streamOf(String file, String suffix) {
        int dash = file.lastIndexOf('-');
        return dash > 0 && numberOf(file, file.substring(0, dash), suffix).isPresent() ? file.substring(0, dash) : "";
    }

    /** The number of a stream's file with this suffix; nothing if the file is another one. */
    static OptionalLong numberOf(String file, String stream, String suffix) {
        int from = stream.length() + 1;
        int to = file.length() - suffix.length();
        if (to - from < DIGITS_MIN
                || to - from > DIGITS_MAX
                || !file.startsWith(stream + "-")
                || !file.endsWith(suffix)) {
            return OptionalLong.empty();
        }
        String digits = file.substring(from, to);
        if (!digits.chars().allMatch(c -> c >= '0' && c <= '9')) {
            return OptionalLong.empty();
        }
        long number = Long.parseLong(digits);
        return numbered(stream, number, suffix).equals(file) ? OptionalLong.of(number) : OptionalLong.empty();
    }
}
