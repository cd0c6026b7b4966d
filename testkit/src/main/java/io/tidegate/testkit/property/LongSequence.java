package io.tidegate.testkit.property;

import java.util.Arrays;
import java.util.stream.Collectors;

/** A growing sequence of longs. As text: the numbers with commas between them. */
final class LongSequence {
    private long[] values = new long[64];
    private int size;

    static LongSequence of(long... values) {
        LongSequence sequence = new LongSequence();
        sequence.values = values.clone();
        sequence.size = values.length;
        return sequence;
    }

    static LongSequence parse(String text) {
        if (text.isBlank()) {
            return of();
        }
        return of(Arrays.stream(text.split(",", -1))
                .map(String::trim)
                .mapToLong(Long::parseLong)
                .toArray());
    }

    void add(long value) {
        if (size == values.length) {
            values = Arrays.copyOf(values, Math.max(64, size * 2));
        }
        values[size++] = value;
    }

    int size() {
        return size;
    }

    long get(int index) {
        if (index >= size) {
            throw new IndexOutOfBoundsException(index + " of " + size);
        }
        return values[index];
    }

    LongSequence with(int index, long value) {
        LongSequence changed = of(toArray());
        changed.values[index] = value;
        return changed;
    }

    LongSequence without(int from, int to) {
        long[] rest = Arrays.copyOf(values, size - (to - from));
        System.arraycopy(values, to, rest, from, size - to);
        return of(rest);
    }

    /** Fewer values are simpler; of as many, the smaller ones are, the first counting most. Read as unsigned. */
    boolean isSimplerThan(LongSequence other) {
        if (size != other.size) {
            return size < other.size;
        }
        return Arrays.compareUnsigned(values, 0, size, other.values, 0, size) < 0;
    }

    private long[] toArray() {
        return Arrays.copyOf(values, size);
    }

    @Override
    public String toString() {
        return Arrays.stream(values, 0, size).mapToObj(Long::toString).collect(Collectors.joining(","));
    }
}
