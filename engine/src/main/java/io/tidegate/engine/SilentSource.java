package io.tidegate.engine;

import io.tidegate.engine.session.Wait;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Sees a source that gives nothing although its log grows: what the server keeps for it rises while the pipeline has nothing in
 * flight and no frontier moves. What is kept is measured apart from the reading, a little earlier or later; so a level is taken only
 * when all has been quiet for a while, and growth counts from there. A log that does not grow is idle. One thread.
 */
final class SilentSource {

    /** Measured by a source whose server keeps log for it. */
    static final String RETAINED = "retained_bytes";

    private static final long QUIET_NANOS = Duration.ofSeconds(10).toNanos();

    private @Nullable Object session;
    private long moves = -1;
    private long quietSince;
    private @Nullable Double level;
    private @Nullable Long grewAt;

    /** A session is not reading a log, or it has something in flight. */
    void busy() {
        session = null;
    }

    /**
     * A session waits for its source's log.
     *
     * @param moves rises whenever the session gets anything done
     * @param retained what the server keeps now; null if that is not known
     */
    Optional<Wait> look(Object session, long moves, @Nullable Double retained, long now) {
        if (this.session != session || this.moves != moves || retained == null) {
            this.session = session;
            this.moves = moves;
            quietSince = now;
            level = null;
            grewAt = null;
            return Optional.empty();
        }
        Double quiet = level;
        if (quiet == null) {
            if (now - quietSince >= QUIET_NANOS) {
                level = retained;
            }
            return Optional.empty();
        }
        if (grewAt == null && retained > quiet) {
            grewAt = now;
        }
        return Optional.ofNullable(grewAt)
                .map(since -> new Wait(
                        Wait.Kind.SOURCE_SILENT, since, "the source's log grows, and the source gives nothing of it"));
    }
}
