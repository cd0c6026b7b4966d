package io.tidegate.connector.files;

import io.tidegate.spi.ByteBuilder;
import java.nio.charset.StandardCharsets;

/**
 * Text for a terminal. A value must not control it: control characters, and those that turn the direction of writing, are
 * written as escapes, as {@code \n} or {@code \}{@code u202e}.
 */
final class ReadableText {

    private ReadableText() {}

    static void escaped(ByteBuilder out, String text) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        escaped(out, utf8, 0, utf8.length);
    }

    static void escaped(ByteBuilder out, byte[] utf8, int from, int length) {
        int end = from + length;
        for (int i = from; i < end; ) {
            int size = Math.min(sizeOf(utf8[i]), end - i);
            int point = size == 1 ? utf8[i] & 0xff : point(utf8, i, size);
            if (dangerous(point) || (size == 1 && point >= 0x80)) {
                escape(out, point);
            } else if (point == '"' || point == '\\') {
                out.put('\\').put(point);
            } else {
                out.put(utf8, i, size);
            }
            i += size;
        }
    }

    /** The longest length up to this one that cuts no character in two. */
    static int whole(byte[] utf8, int from, int length) {
        int cut = length;
        while (cut > 0 && (utf8[from + cut] & 0xc0) == 0x80) {
            cut--;
        }
        return cut;
    }

    private static int sizeOf(byte first) {
        int b = first & 0xff;
        return b < 0xc0 ? 1 : b < 0xe0 ? 2 : b < 0xf0 ? 3 : 4;
    }

    private static int point(byte[] utf8, int at, int size) {
        int point = utf8[at] & (0x7f >> size);
        for (int i = 1; i < size; i++) {
            point = (point << 6) | (utf8[at + i] & 0x3f);
        }
        return point;
    }

    private static boolean dangerous(int point) {
        return switch (Character.getType(point)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE -> true;
            default -> false;
        };
    }

    private static void escape(ByteBuilder out, int point) {
        switch (point) {
            case '\n' -> out.ascii("\\n");
            case '\r' -> out.ascii("\\r");
            case '\t' -> out.ascii("\\t");
            default -> {
                String hex = Integer.toHexString(point);
                out.ascii("\\u")
                        .ascii("0".repeat(Math.max(0, 4 - hex.length())))
                        .ascii(hex);
            }
        }
    }
}
