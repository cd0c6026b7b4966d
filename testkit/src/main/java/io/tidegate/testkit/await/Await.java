package io.tidegate.testkit.await;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * Waits until a condition holds, and fails with a message that says what was waited for.
 *
 * <p>For state that gives no signal of its own: another process, a server's catalog. Where a latch or a future exists,
 * wait on that.
 */
public final class Await {
    private static final long FIRST_PAUSE_NANOS = 500_000;
    private static final long LONGEST_PAUSE_NANOS = 20_000_000;

    /** A question that is asked again until it is answered with yes. What it throws ends the wait. */
    @FunctionalInterface
    public interface Condition<E extends Exception> {
        boolean holds() throws E;
    }

    /** A source of a value that may not be there yet. What it throws ends the wait. */
    @FunctionalInterface
    public interface Source<T, E extends Exception> {
        Optional<T> get() throws E;
    }

    private Await() {}

    /**
     * Returns as soon as {@code condition} holds.
     *
     * @param what the rest of the sentence "waited for …"
     * @throws AssertionError when it does not hold within {@code limit}, or the thread is interrupted
     */
    public static <E extends Exception> void until(String what, Duration limit, Condition<E> condition) throws E {
        until(what, limit, condition, () -> "");
    }

    /** Like {@link #until(String, Duration, Condition)}; {@code state} describes at a failure how far things got. */
    public static <E extends Exception> void until(
            String what, Duration limit, Condition<E> condition, Supplier<String> state) throws E {
        Await.<Boolean, E>poll(
                what, limit, () -> condition.holds() ? Optional.of(Boolean.TRUE) : Optional.empty(), state);
    }

    /** Returns the value of {@code source} as soon as it has one; fails like {@link #until}. */
    public static <T, E extends Exception> T value(String what, Duration limit, Source<T, E> source) throws E {
        return poll(what, limit, source, () -> "");
    }

    private static <T, E extends Exception> T poll(
            String what, Duration limit, Source<T, E> source, Supplier<String> state) throws E {
        long start = System.nanoTime();
        long pauseNanos = FIRST_PAUSE_NANOS;
        while (true) {
            // Whether time is up is read before the question: a slow answer of yes still counts.
            boolean last = System.nanoTime() - start >= limit.toNanos();
            Optional<T> value = source.get();
            if (value.isPresent()) {
                return value.get();
            }
            if (last) {
                throw failure("waited " + limit.toMillis() + " ms in vain for " + what, state);
            }
            if (Thread.currentThread().isInterrupted()) {
                throw failure("interrupted while waiting for " + what, state);
            }
            LockSupport.parkNanos(pauseNanos);
            pauseNanos = Math.min(pauseNanos * 2, LONGEST_PAUSE_NANOS);
        }
    }

    private static AssertionError failure(String message, Supplier<String> state) {
        String detail = state.get();
        return new AssertionError(detail.isEmpty() ? message : message + "\n" + detail);
    }
}
