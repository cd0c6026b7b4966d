package io.tidegate.connector.postgres.log;

import java.time.Duration;

/**
 * Decides when the server gets an answer: on a timer, which no wait for room stops; soon, if it asked; never more than
 * ten times a second (rule 13). And when the server counts as dead: after 30 s of reading in which not one byte came, in
 * spite of three requests for a reply. A state machine: the time comes with each call.
 */
final class ReplyClock {

    static final long REPLY_GAP_NANOS = Duration.ofMillis(100).toNanos();
    static final long SILENCE_MAX_NANOS = Duration.ofSeconds(30).toNanos();

    private static final long TIMER_MAX_NANOS = Duration.ofSeconds(10).toNanos();
    private static final int REQUESTS = 3;

    private final long timerNanos;
    private long repliedAt;
    private boolean asked;
    private long silentNanos;
    private int requests;

    /**
     * Starts with an answer due.
     *
     * @param walSenderTimeout zero: the server never gives up
     */
    ReplyClock(Duration walSenderTimeout, long now) {
        long third = walSenderTimeout.toNanos() / 3;
        timerNanos = third == 0 ? TIMER_MAX_NANOS : Math.min(TIMER_MAX_NANOS, Math.max(REPLY_GAP_NANOS, third));
        // the first answer is due at once: it shows the server that we are there
        repliedAt = now - timerNanos;
    }

    void serverAsks() {
        asked = true;
    }

    boolean due(long now) {
        return nanosToNext(now) <= 0;
    }

    long nanosToNext(long now) {
        boolean soon = asked || requestDue();
        return (soon ? REPLY_GAP_NANOS : timerNanos) - (now - repliedAt);
    }

    /** Whether an answer would come too soon after the last one. */
    boolean tooSoon(long now) {
        return now - repliedAt < REPLY_GAP_NANOS;
    }

    /** Whether the answer that is sent now asks for one in return. */
    boolean replied(long now) {
        repliedAt = now;
        asked = false;
        boolean request = requestDue();
        if (request) {
            requests++;
        }
        return request;
    }

    /** Time spent reading: with bytes it ends a silence, without it makes it longer. */
    void read(long nanos, boolean bytesCame) {
        if (bytesCame) {
            silentNanos = 0;
            requests = 0;
        } else {
            silentNanos += nanos;
        }
    }

    boolean silent() {
        return requests >= REQUESTS && silentNanos >= SILENCE_MAX_NANOS;
    }

    private boolean requestDue() {
        return requests < REQUESTS && silentNanos >= SILENCE_MAX_NANOS / (REQUESTS + 1) * (requests + 1);
    }
}
