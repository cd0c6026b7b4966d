package io.tidegate.simulation.data;

import io.tidegate.spi.Origin;
import java.nio.ByteBuffer;

/**
 * Where a delivered change comes from.
 *
 * @param number of the upstream's change; 0 for what a snapshot gives
 * @param split that it was read from
 * @param at commit position, or H
 * @param attempt of a snapshot
 */
public record SimOrigin(long number, String split, long at, int attempt, boolean catchUp) implements Origin {

    private static final byte[] NONE = {};

    @Override
    public long committedAtMicros() {
        return 1_767_225_600_000_000L;
    }

    /** Numbers rise along a log, inside of its transactions too. */
    @Override
    public byte[] ordinal() {
        return number == 0
                ? NONE
                : ByteBuffer.allocate(Long.BYTES).putLong(number).array();
    }

    @Override
    public String position() {
        return Long.toString(at);
    }

    @Override
    public void describe(FieldVisitor fields) {
        fields.number("at", at);
    }
}
