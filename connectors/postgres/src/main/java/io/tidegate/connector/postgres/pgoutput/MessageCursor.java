package io.tidegate.connector.postgres.pgoutput;

import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.TidegateException;
import java.nio.charset.StandardCharsets;

/** Reads one message from front to back, never beyond its end. */
final class MessageCursor {

    private final byte[] data;
    private final int end;
    private int at;

    MessageCursor(byte[] data, int from, int length) {
        this.data = data;
        this.at = from;
        this.end = from + length;
    }

    byte[] data() {
        return data;
    }

    int at() {
        return at;
    }

    int int8() {
        need(1);
        return data[at++] & 0xFF;
    }

    int int16() {
        return int8() << 8 | int8();
    }

    int int32() {
        need(4);
        int value = (data[at] & 0xFF) << 24
                | (data[at + 1] & 0xFF) << 16
                | (data[at + 2] & 0xFF) << 8
                | (data[at + 3] & 0xFF);
        at += 4;
        return value;
    }

    long int64() {
        return (long) int32() << 32 | (int32() & 0xFFFF_FFFFL);
    }

    String text() {
        int stop = at;
        while (stop < end && data[stop] != 0) {
            stop++;
        }
        String text = new String(data, at, stop - at, StandardCharsets.UTF_8);
        at = stop;
        need(1);
        at++;
        return text;
    }

    /** Passes over so many bytes. */
    void pass(int count) {
        need(count);
        at += count;
    }

    /** A message longer than what is known of it is of a kind that is not known. */
    void end() {
        if (at != end) {
            throw malformed("it is longer than its kind allows");
        }
    }

    TidegateException malformed(String why) {
        return new TidegateException(
                ErrorCode.MESSAGE_UNKNOWN, "a message of pgoutput cannot be read: " + why + ", at byte " + at);
    }

    private void need(int count) {
        if (count < 0 || end - at < count) {
            throw malformed("it ends too early");
        }
    }
}
