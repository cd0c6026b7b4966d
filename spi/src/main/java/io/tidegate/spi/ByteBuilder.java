package io.tidegate.spi;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A growing array of bytes that can be read in place; or one that does not grow, but overflows. Belongs to one thread. */
public final class ByteBuilder {

    /** Takes what an array that does not grow cannot hold. */
    @FunctionalInterface
    public interface Overflow {
        /** Takes the next bytes; they are valid during the call only. */
        void take(byte[] from, int offset, int count);
    }

    private static final int DECIMAL_DIGITS_MAX = 19;
    private static final int DECIMAL_BYTES_MAX = DECIMAL_DIGITS_MAX + 1;

    private final @Nullable Overflow overflow;
    private byte[] bytes;
    private int length;
    private long taken;

    public ByteBuilder(int capacity) {
        this(capacity, null);
    }

    /**
     * Holds so many bytes at most. When more come, those that it holds are handed over and it is empty again, so that a
     * value of any size passes in pieces.
     */
    public ByteBuilder(int capacity, @Nullable Overflow overflow) {
        this.overflow = overflow;
        bytes = new byte[Math.max(16, capacity)];
    }

    /** The bytes; valid up to {@link #length}, and until the next append. */
    public byte[] array() {
        return bytes;
    }

    public int length() {
        return length;
    }

    /** How many bytes were ever appended and neither cut back nor cleared, with those that overflowed. */
    public long written() {
        return taken + length;
    }

    /** Cuts back to an earlier length. */
    public void truncate(int newLength) {
        if (newLength < 0 || newLength > length) {
            throw new IllegalArgumentException("cannot cut " + length + " bytes to " + newLength);
        }
        length = newLength;
    }

    public void clear() {
        length = 0;
        taken = 0;
    }

    /** Makes room for so many more bytes. */
    public void reserve(int more) {
        if (bytes.length - length < more) {
            makeRoom(more);
        }
    }

    private void makeRoom(int more) {
        if (overflow != null) {
            spill(overflow);
        }
        if (bytes.length - length < more) {
            long wanted = Math.max((long) length + more, bytes.length * 2L);
            if ((long) length + more > Integer.MAX_VALUE - 8) {
                throw new TidegateException(
                        ErrorCode.ROW_TOO_LARGE, "a value needs more than two gigabytes in the output format");
            }
            bytes = Arrays.copyOf(bytes, (int) Math.min(wanted, Integer.MAX_VALUE - 8));
        }
    }

    private void spill(Overflow to) {
        int count = length;
        length = 0;
        taken += count;
        if (count > 0) {
            to.take(bytes, 0, count);
        }
    }

    public ByteBuilder put(int oneByte) {
        reserve(1);
        bytes[length++] = (byte) oneByte;
        return this;
    }

    public ByteBuilder put(byte[] from) {
        return put(from, 0, from.length);
    }

    public ByteBuilder put(byte[] from, int offset, int count) {
        if (overflow != null && count > bytes.length) {
            return pass(overflow, from, offset, count);
        }
        reserve(count);
        System.arraycopy(from, offset, bytes, length, count);
        length += count;
        return this;
    }

    /** More than can be held: goes by in pieces. */
    private ByteBuilder pass(Overflow to, byte[] from, int offset, int count) {
        spill(to);
        for (int done = 0; done < count; ) {
            int piece = Math.min(bytes.length, count - done);
            taken += piece;
            to.take(from, offset + done, piece);
            done += piece;
        }
        return this;
    }

    /** Appends text of ASCII characters only. */
    public ByteBuilder ascii(String text) {
        int count = text.length();
        reserve(count);
        for (int i = 0; i < count; i++) {
            char c = text.charAt(i);
            if (c > 127) {
                throw new IllegalArgumentException("not ASCII: " + text);
            }
            bytes[length++] = (byte) c;
        }
        return this;
    }

    public ByteBuilder utf8(String text) {
        byte[] encoded = text.getBytes(StandardCharsets.UTF_8);
        return put(encoded, 0, encoded.length);
    }

    /** Appends a number in decimal. */
    public ByteBuilder decimal(long value) {
        if (value == Long.MIN_VALUE) { // it has no positive counterpart
            return ascii("-9223372036854775808");
        }
        reserve(DECIMAL_BYTES_MAX);
        if (value < 0) {
            bytes[length++] = '-';
        }
        long rest = Math.abs(value);
        int digits = 1;
        for (long limit = 10; digits < DECIMAL_DIGITS_MAX && rest >= limit; limit *= 10) {
            digits++;
        }
        length += digits;
        for (int at = length - 1; digits > 0; digits--, at--) {
            long tenth = rest / 10;
            bytes[at] = (byte) ('0' + (rest - tenth * 10));
            rest = tenth;
        }
        return this;
    }

    public byte[] toByteArray() {
        return Arrays.copyOf(bytes, length);
    }

    @Override
    public String toString() {
        return new String(bytes, 0, length, StandardCharsets.UTF_8);
    }
}
