package io.tidegate.testkit.disk;

import java.util.Map;
import java.util.random.RandomGenerator;

/** A file or a directory. */
sealed interface CachedNode permits CachedFile, CachedDirectory {

    /** The node as it is found after a loss of power. */
    CachedNode crash(RandomGenerator choices, Map<DiskEvent, Long> events);
}
