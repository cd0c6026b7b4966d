package io.tidegate.formats;

import io.tidegate.spi.ByteBuilder;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/** The parts of JSON (RFC 8259), written as UTF-8 without an object in between. Never writes a byte below 0x20. */
final class JsonText {

    static final byte[] NULL = "null".getBytes(StandardCharsets.US_ASCII);
    static final byte[] TRUE = "true".getBytes(StandardCharsets.US_ASCII);
    static final byte[] FALSE = "false".getBytes(StandardCharsets.US_ASCII);

    private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] BASE64 =
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".getBytes(StandardCharsets.US_ASCII);

    private static final VarHandle WORDS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    /** Times a byte, that byte in each place of a word. */
    private static final long EACH = 0x0101_0101_0101_0101L;

    private static final long HIGHEST = 0x8080_8080_8080_8080L;
    private static final boolean[] ESCAPED = new boolean[256];

    static {
        for (int c = 0; c < 0x20; c++) {
            ESCAPED[c] = true;
        }
        ESCAPED['"'] = true;
        ESCAPED['\\'] = true;
    }

    private JsonText() {}

    /** Appends UTF-8 text as a string. */
    static void string(ByteBuilder out, byte[] utf8, int from, int length) {
        out.put('"');
        int end = from + length;
        int run = from;
        for (int i = plain(utf8, from, end); i < end; i = plain(utf8, run, end)) {
            out.put(utf8, run, i - run);
            escape(out, utf8[i]);
            run = i + 1;
        }
        out.put(utf8, run, end - run);
        out.put('"');
    }

    /** The end of the run from there on of which no byte needs an escape. Looks at eight bytes at once. */
    private static int plain(byte[] utf8, int from, int end) {
        int i = from;
        for (; i + Long.BYTES <= end; i += Long.BYTES) {
            long word = (long) WORDS.get(utf8, i);
            long control = (word - 0x20 * EACH) & ~word;
            if (((control | zeros(word ^ '"' * EACH) | zeros(word ^ '\\' * EACH)) & HIGHEST) != 0) {
                break;
            }
        }
        while (i < end && !ESCAPED[utf8[i] & 0xff]) {
            i++;
        }
        return i;
    }

    /** Has the highest bit of a byte set if one is zero, there or further up. */
    private static long zeros(long word) {
        return (word - EACH) & ~word;
    }

    /** Appends text as a string; half of a surrogate pair, which UTF-8 does not have, becomes an escape. */
    static void string(ByteBuilder out, String text) {
        out.put('"');
        int length = text.length();
        for (int i = 0; i < length; i++) {
            char c = text.charAt(i);
            if (c < 0x80) {
                if (ESCAPED[c]) {
                    escape(out, c);
                } else {
                    out.put(c);
                }
            } else if (c < 0x800) {
                out.put(0xc0 | (c >> 6)).put(0x80 | (c & 0x3f));
            } else if (!Character.isSurrogate(c)) {
                out.put(0xe0 | (c >> 12)).put(0x80 | ((c >> 6) & 0x3f)).put(0x80 | (c & 0x3f));
            } else if (Character.isHighSurrogate(c) && i + 1 < length && Character.isLowSurrogate(text.charAt(i + 1))) {
                i++;
                int point = Character.toCodePoint(c, text.charAt(i));
                out.put(0xf0 | (point >> 18)).put(0x80 | ((point >> 12) & 0x3f));
                out.put(0x80 | ((point >> 6) & 0x3f)).put(0x80 | (point & 0x3f));
            } else {
                unicodeEscape(out, c);
            }
        }
        out.put('"');
    }

    /** Appends bytes as a string of base64 (RFC 4648, section 4, with padding). */
    static void base64(ByteBuilder out, byte[] raw, int from, int length) {
        out.put('"');
        int end = from + length;
        int i = from;
        for (; i + 3 <= end; i += 3) {
            int bits = ((raw[i] & 0xff) << 16) | ((raw[i + 1] & 0xff) << 8) | (raw[i + 2] & 0xff);
            out.put(BASE64[bits >> 18]).put(BASE64[(bits >> 12) & 0x3f]);
            out.put(BASE64[(bits >> 6) & 0x3f]).put(BASE64[bits & 0x3f]);
        }
        if (end - i == 1) {
            int bits = (raw[i] & 0xff) << 4;
            out.put(BASE64[bits >> 6]).put(BASE64[bits & 0x3f]).put('=').put('=');
        } else if (end - i == 2) {
            int bits = ((raw[i] & 0xff) << 10) | ((raw[i + 1] & 0xff) << 2);
            out.put(BASE64[bits >> 12]).put(BASE64[(bits >> 6) & 0x3f]);
            out.put(BASE64[bits & 0x3f]).put('=');
        }
        out.put('"');
    }

    /**
     * Appends JSON text as it is, in one line. A string holds no raw control character (RFC 8259, section 7), so one that
     * is met stands between tokens, where a space means the same.
     */
    static void json(ByteBuilder out, byte[] utf8, int from, int length) {
        int end = from + length;
        int run = from;
        for (int i = from; i < end; i++) {
            byte b = utf8[i];
            if (b == '\n' || b == '\r' || b == '\t') {
                out.put(utf8, run, i - run).put(' ');
                run = i + 1;
            }
        }
        out.put(utf8, run, end - run);
    }

    private static void escape(ByteBuilder out, int c) {
        switch (c) {
            case '"' -> out.put('\\').put('"');
            case '\\' -> out.put('\\').put('\\');
            case '\n' -> out.put('\\').put('n');
            case '\r' -> out.put('\\').put('r');
            case '\t' -> out.put('\\').put('t');
            case '\b' -> out.put('\\').put('b');
            case '\f' -> out.put('\\').put('f');
            default -> unicodeEscape(out, c);
        }
    }

    private static void unicodeEscape(ByteBuilder out, int c) {
        out.put('\\').put('u');
        out.put(HEX[(c >> 12) & 15])
                .put(HEX[(c >> 8) & 15])
                .put(HEX[(c >> 4) & 15])
                .put(HEX[c & 15]);
    }
}
