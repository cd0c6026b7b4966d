package io.tidegate.testkit.explore;

import java.util.function.LongConsumer;

/** Folds numbers into one of 64 bits. */
final class Fold implements LongConsumer {

    private long value = 1;

    @Override
    public void accept(long number) {
        long mixed = (value ^ number) * 0x9E3779B97F4A7C15L;
        mixed ^= mixed >>> 29;
        mixed *= 0xBF58476D1CE4E5B9L;
        value = mixed ^ mixed >>> 32;
    }

    long value() {
        return value;
    }
}
