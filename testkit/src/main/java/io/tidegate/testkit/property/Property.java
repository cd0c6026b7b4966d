package io.tidegate.testkit.property;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Runs a property on many inputs and, when it fails, finds a small input that makes it fail the same way.
 *
 * <p>The seeds are the same in every build, made from the property's name, so that a build does not fail by chance. System
 * properties explore more:
 *
 * <ul>
 *   <li>{@value #SEED} (a number, as printed at a failure): one run with exactly this seed;
 *   <li>{@value #BASE} (a number, or {@code random}): other seeds than the name's;
 *   <li>{@value #TIMES} (a number): so many times the runs.
 * </ul>
 *
 * A seed or a record that once failed is kept as a test of its own, with {@link #replaySeed} or {@link #replay}.
 */
public final class Property {
    static final String SEED = "property.seed";
    static final String BASE = "property.base";
    static final String TIMES = "property.times";

    private static final Duration SHRINK_LIMIT = Duration.ofSeconds(30);
    private static final int RECORD_SHOWN_MAX = 4_000;

    /** What holds for all choices; throws if it does not. All randomness comes from the choices. */
    @FunctionalInterface
    public interface Body {
        void check(Choices choices) throws Exception;
    }

    /** A property does not hold. The cause is what the simplest failing run threw. */
    public static final class Failed extends AssertionError {
        private static final long serialVersionUID = 1;

        private final String record;

        private Failed(String message, String record, @Nullable Throwable cause) {
            super(message, cause);
            this.record = record;
        }

        /** The choices of the simplest failing run, for {@link Property#replay}. */
        public String record() {
            return record;
        }
    }

    private Property() {}

    /**
     * Runs {@code body} so many times, each time with other choices.
     *
     * @throws Failed at the first run that throws anything, with a small input that does
     */
    public static void check(String name, int runs, Body body) {
        checkCovering(name, runs, List.of(), body);
    }

    /**
     * Like {@link #check}, and the runs together must have {@linkplain Choices#saw seen} each of the labels: what a
     * generator never produces was never tested.
     */
    public static void checkCovering(String name, int runs, Collection<String> labels, Body body) {
        String oneSeed = System.getProperty(SEED);
        if (oneSeed != null) {
            runSeed(name, parse(oneSeed), new Coverage(), body);
            return;
        }
        long base = base(name);
        long total = Math.multiplyExact((long) runs, Long.parseLong(System.getProperty(TIMES, "1")));
        Coverage coverage = new Coverage();
        for (long run = 0; run < total; run++) {
            runSeed(name, Choices.mix(base + run), coverage, body);
        }
        List<String> missing = coverage.missing(labels);
        if (!missing.isEmpty()) {
            throw new Failed(
                    "'" + name + "' never saw " + missing + " in " + total + " runs with base " + base + "; it saw "
                            + coverage,
                    "",
                    null);
        }
    }

    /** Runs {@code body} once with the choices of this seed. */
    public static void replaySeed(String name, long seed, Body body) {
        runSeed(name, seed, new Coverage(), body);
    }

    /** Runs {@code body} once on the choices of a record, as printed at a failure. Does not shrink. */
    public static void replay(String name, String record, Body body) {
        Optional<Failure> failure = run(Choices.replaying(record), body);
        if (failure.isPresent()) {
            throw new Failed(
                    "'" + name + "' fails on the choices " + record + ": "
                            + failure.get().thrown(),
                    record,
                    failure.get().thrown());
        }
    }

    private static void runSeed(String name, long seed, Coverage coverage, Body body) {
        // Not recorded, which is cheaper: a failing run is repeated, and a run that cannot be is no use anyway.
        Throwable thrown = attempt(Choices.seeded(seed, coverage), body);
        if (thrown != null) {
            throw report(name, seed, thrown, body);
        }
    }

    private static Failed report(String name, long seed, Throwable thrown, Body body) {
        String again = "Run it again with -D" + SEED + "=" + seed;
        Optional<Failure> repeated = run(Choices.recording(seed), body);
        if (repeated.isEmpty() || !repeated.get().isLike(thrown)) {
            String then = repeated.map(failure -> "with " + failure.thrown()).orElse("not at all");
            return new Failed(
                    "'" + name + "' is not determined by its choices: with seed " + seed + " it failed with " + thrown
                            + ", and when run again " + then + ". " + again,
                    "",
                    thrown);
        }
        Failure first = repeated.get();
        Shrinker shrinker = new Shrinker(
                first,
                record -> run(Choices.replaying(record), body).filter(failure -> failure.isLike(thrown)),
                SHRINK_LIMIT);
        Failure smallest = shrinker.shrink();
        String record = smallest.record().toString();
        String shown = record.length() <= RECORD_SHOWN_MAX ? record : record.substring(0, RECORD_SHOWN_MAX) + "…";
        return new Failed(
                "'" + name + "' does not hold: " + smallest.thrown() + "\n" + again + "\nThe smallest failing run (of "
                        + shrinker.trials() + " tried, from " + first.record().size() + " choices down to "
                        + smallest.record().size() + ") is kept by Property.replay(\"" + name + "\", \"" + shown
                        + "\", …)",
                record,
                smallest.thrown());
    }

    private static Optional<Failure> run(Choices choices, Body body) {
        Throwable thrown = attempt(choices, body);
        return thrown == null ? Optional.empty() : Optional.of(new Failure(choices.recorded(), thrown));
    }

    /** What the body threw. Running out of memory and being interrupted are not its failure and go on. */
    private static @Nullable Throwable attempt(Choices choices, Body body) {
        try {
            body.check(choices);
            return null;
        } catch (Choices.Endless endless) {
            return null;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted in the middle of a property", e);
        } catch (OutOfMemoryError e) {
            throw e;
        } catch (Throwable e) {
            return e;
        }
    }

    private static long base(String name) {
        String given = System.getProperty(BASE);
        if (given == null) {
            long hash = 0;
            for (byte one : name.getBytes(StandardCharsets.UTF_8)) {
                hash = Choices.mix(hash + one);
            }
            return hash;
        }
        return given.equals("random")
                ? Choices.mix(System.nanoTime() ^ ProcessHandle.current().pid())
                : parse(given);
    }

    private static long parse(String number) {
        return Long.decode(number);
    }
}
