package io.tidegate.testkit.property;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Where a run gets all its randomness from: a sequence of choices, drawn from a seed or replayed.
 *
 * <p>Every draw is one number of the sequence, and 0 is always the simplest outcome: the lowest number, "no", the first of
 * a list, the end of a text. So a failure shrinks by making the sequence shorter and its numbers lower, whatever the run
 * makes of them. A replay that asks for more than was recorded gets 0.
 */
public final class Choices {
    /** A replay that still draws so long after its record ended does not come to an end on zeros. */
    private static final int DRAWS_PAST_END_MAX = 100_000;

    private static final long GOLDEN_GAMMA = 0x9E3779B97F4A7C15L;

    /** The run was ended from outside: it draws for ever. Not a failure of the property. */
    static final class Endless extends Error {
        private static final long serialVersionUID = 1;

        Endless() {
            super("the replay draws without end", null, false, false);
        }
    }

    private final Optional<LongSequence> replayed;
    private final Optional<LongSequence> recorded;
    private final Coverage coverage;
    private long state;
    private int drawn;

    private Choices(long seed, Optional<LongSequence> replayed, Optional<LongSequence> recorded, Coverage coverage) {
        this.state = seed;
        this.replayed = replayed;
        this.recorded = recorded;
        this.coverage = coverage;
    }

    /** Choices from a seed, not recorded: for simulations of many millions of steps. */
    public static Choices seeded(long seed) {
        return seeded(seed, new Coverage());
    }

    static Choices seeded(long seed, Coverage coverage) {
        return new Choices(seed, Optional.empty(), Optional.empty(), coverage);
    }

    /** Choices from a seed; {@link #record()} tells them afterwards. */
    public static Choices recording(long seed) {
        return new Choices(seed, Optional.empty(), Optional.of(new LongSequence()), new Coverage());
    }

    /** The choices of a {@link #record()} again. */
    public static Choices replaying(String record) {
        return replaying(LongSequence.parse(record));
    }

    static Choices replaying(LongSequence record) {
        return new Choices(0, Optional.of(record), Optional.of(new LongSequence()), new Coverage());
    }

    /** The sequence drawn so far, as text for {@link #replaying}. */
    public String record() {
        return recorded().toString();
    }

    LongSequence recorded() {
        return recorded.orElseThrow(() -> new IllegalStateException("these choices are not recorded"));
    }

    /** A number from 0 to {@code bound - 1}. */
    public int below(int bound) {
        if (bound <= 0) {
            throw new IllegalArgumentException("there is no number below " + bound);
        }
        return (int) draw(bound);
    }

    /** A number from {@code lowest} to {@code highest}, both included. The simplest is the one nearest to zero. */
    public int between(int lowest, int highest) {
        return (int) between((long) lowest, (long) highest);
    }

    /** A number from {@code lowest} to {@code highest}, both included. The simplest is the one nearest to zero. */
    public long between(long lowest, long highest) {
        if (lowest > highest) {
            throw new IllegalArgumentException("there is no number from " + lowest + " to " + highest);
        }
        // 0 means all 2^64 of them.
        long count = highest - lowest + 1;
        long value = draw(count);
        if (lowest > 0) {
            return lowest + value;
        }
        if (highest < 0) {
            return highest - value;
        }
        // 0, 1, … highest, then -1, -2, … lowest.
        return Long.compareUnsigned(value, highest) <= 0 ? value : highest - value;
    }

    /** True once in {@code oneIn} times. The simplest is false. */
    public boolean chance(int oneIn) {
        return below(oneIn) == oneIn - 1;
    }

    /** True half of the time. */
    public boolean flip() {
        return chance(2);
    }

    /** One of a list that is not empty. The simplest is the first. */
    public <T> T pick(List<T> from) {
        return from.get(below(from.size()));
    }

    /** An index of the weights, each as often as its weight says. The simplest is 0; give it the simplest meaning. */
    public int weighted(int... weights) {
        int sum = 0;
        for (int weight : weights) {
            if (weight < 0) {
                throw new IllegalArgumentException("a weight below zero: " + weight);
            }
            sum = Math.addExact(sum, weight);
        }
        int value = below(sum);
        int index = 0;
        while (value >= weights[index]) {
            value -= weights[index++];
        }
        return index;
    }

    /** 64 random bits. {@code choices::bits} is a {@link java.util.random.RandomGenerator}. */
    public long bits() {
        return draw(0);
    }

    /** A list of up to {@code sizeMax} elements, half of that on average. */
    public <T> List<T> list(int sizeMax, Function<Choices, T> element) {
        List<T> list = new ArrayList<>();
        // One "is there another one?" before each: an element goes from the record together with it.
        while (list.size() < sizeMax && below(sizeMax / 2 + 2) != 0) {
            list.add(element.apply(this));
        }
        return list;
    }

    /** Up to {@code sizeMax} bytes. */
    public byte[] bytes(int sizeMax) {
        byte[] bytes = new byte[below(sizeMax + 1)];
        for (int i = 0; i < bytes.length; i += Long.BYTES) {
            long eight = bits();
            for (int j = i; j < Math.min(i + Long.BYTES, bytes.length); j++) {
                bytes[j] = (byte) eight;
                eight >>>= Byte.SIZE;
            }
        }
        return bytes;
    }

    /**
     * Text of up to {@code charactersMax} characters of all kinds: letters, quotes, control characters, other scripts,
     * characters of four bytes. No NUL and no half of a surrogate pair: that would not be text everywhere.
     */
    public String text(int charactersMax) {
        return text(charactersMax, Alphabet.ANY);
    }

    /** Text of up to {@code charactersMax} characters of an alphabet, the simplest of which is its first. */
    public String text(int charactersMax, String alphabet) {
        return text(
                charactersMax,
                choices -> alphabet.codePointAt(
                        alphabet.offsetByCodePoints(0, choices.below(alphabet.codePointCount(0, alphabet.length())))));
    }

    private String text(int charactersMax, Function<Choices, Integer> character) {
        StringBuilder text = new StringBuilder();
        list(charactersMax, character).forEach(text::appendCodePoint);
        return text.toString();
    }

    /** The elements in random order. The simplest is the order they have. */
    public <T> List<T> shuffled(List<T> list) {
        List<T> rest = new ArrayList<>(list);
        List<T> shuffled = new ArrayList<>();
        while (!rest.isEmpty()) {
            shuffled.add(rest.remove(below(rest.size())));
        }
        return shuffled;
    }

    /** Counts that the run produced something worth counting; see {@link Property#checkCovering}. */
    public void saw(String label) {
        coverage.count(label);
    }

    /** The next number: unsigned and below {@code bound}, or any if that is 0. */
    private long draw(long bound) {
        long value = replayed.isPresent() ? replay(replayed.get(), bound) : generate(bound);
        drawn++;
        if (recorded.isPresent()) {
            recorded.get().add(value);
        }
        return value;
    }

    private long replay(LongSequence record, long bound) {
        if (drawn >= record.size()) {
            if (drawn - record.size() > DRAWS_PAST_END_MAX) {
                throw new Endless();
            }
            return 0;
        }
        long value = record.get(drawn);
        return bound == 0 ? value : Long.remainderUnsigned(value, bound);
    }

    /** SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014). */
    private long generate(long bound) {
        state += GOLDEN_GAMMA;
        long bits = mix(state);
        // The bias of the remainder is below bound / 2^64.
        return bound == 0 ? bits : Long.remainderUnsigned(bits, bound);
    }

    static long mix(long value) {
        long mixed = (value ^ (value >>> 30)) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
        return mixed ^ (mixed >>> 31);
    }
}
