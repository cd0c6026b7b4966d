package io.tidegate.connector.postgres.snapshot;

import io.tidegate.connector.postgres.value.TextRow;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.TidegateException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Reads one row in COPY's text format (PostgreSQL documentation, COPY, "Text Format"): columns between tabs, {@code \N} for
 * null, a backslash before what would be misread.
 */
final class CopyText {

    private static final VarHandle WORDS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    /** Times a byte, that byte in each place of a word. */
    private static final long EACH = 0x0101_0101_0101_0101L;

    private static final long HIGHEST = 0x8080_8080_8080_8080L;

    private CopyText() {}

    /**
     * Unescapes a row where it lies.
     *
     * @param line the row with its line feed
     * @param offsets receives where each column begins
     * @param lengths receives how long each is, or that it is null
     */
    static void split(byte[] line, int[] offsets, int[] lengths) {
        int end = line.length > 0 && line[line.length - 1] == '\n' ? line.length - 1 : line.length;
        int read = 0;
        int write = 0;
        for (int column = 0; column < offsets.length; column++) {
            if (column > 0) {
                expect(read < end && line[read] == '\t', "fewer columns than were asked for");
                read++;
            }
            offsets[column] = write;
            if (read + 1 < end && line[read] == '\\' && line[read + 1] == 'N') {
                lengths[column] = TextRow.NULL;
                read += 2;
                continue;
            }
            while (true) {
                int stop = plain(line, read, end);
                if (write != read) { // an escape before made the text shorter
                    System.arraycopy(line, read, line, write, stop - read);
                }
                write += stop - read;
                read = stop;
                if (read == end || line[read] == '\t') {
                    break;
                }
                expect(++read < end, "a backslash at the end");
                line[write++] = unescaped(line[read++]);
            }
            lengths[column] = write - offsets[column];
        }
        expect(read == end, "more columns than were asked for");
    }

    /** The end of the run from there on without tab and backslash. Looks at eight bytes at once. */
    private static int plain(byte[] line, int from, int end) {
        int i = from;
        for (; i + Long.BYTES <= end; i += Long.BYTES) {
            long word = (long) WORDS.get(line, i);
            if (((zeros(word ^ '\t' * EACH) | zeros(word ^ '\\' * EACH)) & HIGHEST) != 0) {
                break;
            }
        }
        while (i < end && line[i] != '\t' && line[i] != '\\') {
            i++;
        }
        return i;
    }

    /** Has the highest bit of a byte set if one is zero, there or further up. */
    private static long zeros(long word) {
        return (word - EACH) & ~word;
    }

    private static byte unescaped(byte b) {
        return switch (b) {
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'v' -> 0x0B;
            case '\\' -> '\\';
            default ->
                throw new TidegateException(
                        ErrorCode.VALUE_UNREADABLE, "COPY sent the escape \\" + (char) b + ", which is not known");
        };
    }

    private static void expect(boolean condition, String problem) {
        if (!condition) {
            throw new TidegateException(ErrorCode.VALUE_UNREADABLE, "COPY sent " + problem);
        }
    }
}
