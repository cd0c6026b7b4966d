package io.tidegate.engine;

import io.tidegate.engine.session.Wait;
import java.time.Duration;
import java.util.Optional;

/** Counts sessions that end in a failure and got nothing done: one is bad luck, several are a loop. One thread. */
final class Attempts {

    /** A session that has read for so long is none of a loop, although its source may have been idle. */
    private static final long LASTING_NANOS = Duration.ofSeconds(30).toNanos();

    private int failed;
    private long firstAt;
    private String why = "";

    /** A session that reads. */
    void reads(long advances, long beganAt, long now) {
        if (advances > 0 || now - beganAt >= LASTING_NANOS) {
            failed = 0;
        }
    }

    /** No session follows. */
    void over() {
        failed = 0;
    }

    void failed(String why, long now) {
        if (failed == 0) {
            firstAt = now;
        }
        failed++;
        this.why = why;
    }

    Optional<Wait> look() {
        return failed < 2
                ? Optional.empty()
                : Optional.of(new Wait(
                        Wait.Kind.SESSIONS_FAIL,
                        firstAt,
                        "session after session fails and gets nothing done, " + failed + " by now: " + why));
    }
}
