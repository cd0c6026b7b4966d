package io.tidegate.connector.postgres.position;

import io.tidegate.spi.Position;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A log sequence number: a byte address in the write-ahead log, 64 bits without sign. Printed as the server prints it
 * ({@code pg_lsn}): two hexadecimal halves, upper case, without leading zeros.
 */
public final class Lsn implements Position, Comparable<Lsn> {

    /** The server's "invalid LSN": before everything. */
    public static final Lsn ZERO = new Lsn(0);

    private static final int HALF_DIGITS_MAX = 8;
    private static final byte[] DIGITS = "0123456789ABCDEF".getBytes(StandardCharsets.US_ASCII);

    private final long value;

    /** Made when it is asked for first: all changes of a transaction print the same. Any thread; each makes the same. */
    private @Nullable String text;

    public Lsn(long value) {
        this.value = value;
    }

    /** The address as a number, to be read without sign. */
    public long value() {
        return value;
    }

    /**
     * Reads an LSN, strictly.
     *
     * @throws IllegalArgumentException unless the text is one that {@link #toString} gives
     */
    public static Lsn parse(String text) {
        int slash = text.indexOf('/');
        if (slash < 0) {
            throw refused(text);
        }
        return new Lsn((half(text, 0, slash) << 32) | half(text, slash + 1, text.length()));
    }

    private static long half(String text, int from, int to) {
        int digits = to - from;
        if (digits < 1 || digits > HALF_DIGITS_MAX || (digits > 1 && text.charAt(from) == '0')) {
            throw refused(text);
        }
        long value = 0;
        for (int i = from; i < to; i++) {
            char c = text.charAt(i);
            int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
            if (digit < 0) {
                throw refused(text);
            }
            value = (value << 4) | digit;
        }
        return value;
    }

    private static IllegalArgumentException refused(String text) {
        return new IllegalArgumentException("'" + text + "' is not an LSN such as 0/1776B40");
    }

    public boolean isBefore(Lsn other) {
        return compareTo(other) < 0;
    }

    public boolean isAfter(Lsn other) {
        return compareTo(other) > 0;
    }

    @Override
    public int compareTo(Lsn other) {
        return Long.compareUnsigned(value, other.value);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Lsn lsn && value == lsn.value;
    }

    @Override
    public int hashCode() {
        return Long.hashCode(value);
    }

    @Override
    public String toString() {
        String known = text;
        if (known == null) {
            byte[] ascii = new byte[2 * HALF_DIGITS_MAX + 1];
            int slash = hex(value >>> 32, ascii, 0);
            ascii[slash] = '/';
            int end = hex(value & 0xFFFF_FFFFL, ascii, slash + 1);
            known = new String(ascii, 0, end, StandardCharsets.ISO_8859_1);
            text = known;
        }
        return known;
    }

    /** Writes a half, and returns where it ends. */
    private static int hex(long half, byte[] text, int from) {
        int at = from;
        int shift = Math.max(0, 28 - Integer.numberOfLeadingZeros((int) half) / 4 * 4);
        for (; shift >= 0; shift -= 4) {
            text[at++] = DIGITS[(int) (half >>> shift) & 0xF];
        }
        return at;
    }
}
