package io.tidegate.connector.postgres.snapshot;

import io.tidegate.connector.postgres.value.TextRow;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.TidegateException;

/**
 * Reads one row in COPY's text format (PostgreSQL documentation, COPY, "Text Format"): columns between tabs, {@code \N} for
 * null, a backslash before what would be misread.
 */
final class CopyText {

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
            while (read < end && line[read] != '\t') {
                byte b = line[read++];
                if (b == '\\') {
                    expect(read < end, "a backslash at the end");
                    b = unescaped(line[read++]);
                }
                line[write++] = b;
            }
            lengths[column] = write - offsets[column];
        }
        expect(read == end, "more columns than were asked for");
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
