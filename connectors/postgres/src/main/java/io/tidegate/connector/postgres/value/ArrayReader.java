package io.tidegate.connector.postgres.value;

import io.tidegate.spi.LogicalType;
import io.tidegate.spi.ValueVisitor;

/**
 * Arrays, as {@code array_out} prints them (PostgreSQL documentation, "Array Input and Output Syntax"). Dimensions
 * become nested arrays. An array whose lower bounds are not 1 carries them before its braces; nested arrays have no
 * place for them, so such a value is given whole, as other text: nothing of it is lost.
 */
record ArrayReader(ValueReader element, char delimiter) implements ValueReader {

    @Override
    public LogicalType type() {
        return LogicalType.ARRAY;
    }

    @Override
    public void read(byte[] data, int from, int length, ValueVisitor visitor) {
        if (length > 0 && data[from] == '[') {
            visitor.other(data, from, length);
            return;
        }
        int end = from + length;
        if (array(data, from, end, visitor) != end) {
            throw new UnreadableTextException("more text after the array's end");
        }
    }

    /** Gives one array; the place behind its closing brace. */
    private int array(byte[] data, int from, int end, ValueVisitor visitor) {
        int at = from;
        if (at >= end || data[at] != '{') {
            throw new UnreadableTextException("an array does not start with a brace");
        }
        at++;
        visitor.beginArray();
        boolean empty = at < end && data[at] == '}';
        while (!empty) {
            at = element(data, at, end, visitor);
            if (at < end && data[at] == delimiter) {
                at++;
            } else {
                break;
            }
        }
        if (at >= end || data[at] != '}') {
            throw new UnreadableTextException("an array does not end with a brace");
        }
        visitor.endArray();
        return at + 1;
    }

    private int element(byte[] data, int at, int end, ValueVisitor visitor) {
        if (at < end && data[at] == '{') {
            return array(data, at, end, visitor);
        }
        if (at < end && data[at] == '"') {
            return quoted(data, at + 1, end, visitor);
        }
        int stop = at;
        while (stop < end && data[stop] != delimiter && data[stop] != '}') {
            stop++;
        }
        if (stop == at) {
            throw new UnreadableTextException("an array has an element without text");
        }
        if (isNull(data, at, stop - at)) {
            visitor.nullElement();
        } else {
            element.read(data, at, stop - at, visitor);
        }
        return stop;
    }

    private int quoted(byte[] data, int from, int end, ValueVisitor visitor) {
        int at = from;
        int escapes = 0;
        while (at < end && data[at] != '"') {
            if (data[at] == '\\') {
                escapes++;
                at++;
            }
            at++;
        }
        if (at >= end) {
            throw new UnreadableTextException("an array's quoted element does not end");
        }
        if (escapes == 0) {
            element.read(data, from, at - from, visitor);
        } else {
            byte[] plain = new byte[at - from - escapes];
            int length = 0;
            for (int i = from; i < at; i++) {
                if (data[i] == '\\') {
                    i++;
                }
                plain[length++] = data[i];
            }
            element.read(plain, 0, length, visitor);
        }
        return at + 1;
    }

    private static boolean isNull(byte[] data, int from, int length) {
        return length == 4
                && data[from] == 'N'
                && data[from + 1] == 'U'
                && data[from + 2] == 'L'
                && data[from + 3] == 'L';
    }
}
