package io.tidegate.connector.files;

import java.time.Duration;
import java.util.Optional;

/** When a file is finished: at a size, and at an age if one is given. */
record Rotation(long sizeBytes, Optional<Duration> interval) {

    boolean due(long bytes, long ageNanos) {
        return bytes >= sizeBytes
                || interval.filter(limit -> ageNanos >= limit.toNanos()).isPresent();
    }
}
