package io.tidegate.connector.postgres.value;

import java.nio.charset.StandardCharsets;

/** Looks at ASCII text in place. */
final class Ascii {

    private static final byte[] NAN = "NaN".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] INFINITY = "Infinity".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] MINUS_INFINITY = "-Infinity".getBytes(StandardCharsets.US_ASCII);

    private Ascii() {}

    /** The end of the run of digits that starts at {@code from}. */
    static int digits(byte[] data, int from, int end) {
        int at = from;
        while (at < end && data[at] >= '0' && data[at] <= '9') {
            at++;
        }
        return at;
    }

    /** Whether the range is {@code NaN}, {@code Infinity} or {@code -Infinity}. */
    static boolean isName(byte[] data, int from, int length) {
        return equal(data, from, length, NAN)
                || equal(data, from, length, INFINITY)
                || equal(data, from, length, MINUS_INFINITY);
    }

    static boolean equal(byte[] data, int from, int length, byte[] text) {
        if (length != text.length) {
            return false;
        }
        for (int i = 0; i < length; i++) {
            if (data[from + i] != text[i]) {
                return false;
            }
        }
        return true;
    }
}
