package io.tidegate.engine.session;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Something that a pipeline waits for, and that would move it on. Most waits are short; one that is longer than its kind
 * allows makes the pipeline stalled. Immutable.
 *
 * @param since its begin, or that of the newest sign of progress, in nanoseconds of the clock
 * @param on what it waits for, in words for people
 */
public record Wait(Kind kind, long since, String on) {

    /** What can be waited for; where several waits are too long, the first of these is named. */
    public enum Kind {
        /** The roles of a session that is over: they were aborted, so they should be quick. */
        SESSION_END(3),
        /** A call to the state store. */
        STORE_CALL(30),
        /** Writes to the state store fail and are tried again. */
        STORE_FAILS(30),
        /** A refused change is offered again and again. */
        REFUSAL(30),
        /** A call to the sink, while it reports nothing durable either. */
        SINK_CALL(30),
        /** The sink's calls return, but nothing that it took becomes durable. */
        SINK_DURABLE(30),
        /** The source opens a split. */
        SPLIT_OPEN(30),
        /** The source connects or prepares, and says nothing new about it. */
        SOURCE_READY(45),
        /** A part of a snapshot is read and gives no row. */
        SNAPSHOT_READ(45),
        /** The source's log grew and nothing came, counted from when it was seen to grow. */
        SOURCE_SILENT(30),
        /** The source confirms no acknowledgement. */
        ACKNOWLEDGEMENT(30),
        /** Session after session fails, and none gets anything done. */
        SESSIONS_FAIL(45);

        private final Duration limit;

        Kind(int seconds) {
            limit = Duration.ofSeconds(seconds);
        }

        /** What is longer is a stall. */
        public Duration limit() {
            return limit;
        }
    }

    /** The wait that makes a pipeline stalled, if one does. */
    public static Optional<Wait> stall(List<Wait> waits, long now) {
        return waits.stream().filter(wait -> wait.tooLong(now)).min(Comparator.comparing(Wait::kind));
    }

    private boolean tooLong(long now) {
        return now - since > kind.limit().toNanos();
    }

    /** In one line, with how long it has taken until now. */
    public String describe(long now) {
        return on + " (for " + Duration.ofNanos(now - since).toSeconds() + " s)";
    }
}
