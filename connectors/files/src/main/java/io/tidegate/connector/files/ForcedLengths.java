package io.tidegate.connector.files;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How far each file that is being written was forced by this process, and whether a write or force of it failed since (I8).
 * Handed from each session to the next; belongs to the thread of the session that is open.
 */
final class ForcedLengths {

    /** What is known of one file. */
    record Known(long forced, boolean failed) {}

    private final Map<Path, Known> files = new HashMap<>();

    @Nullable
    Known get(Path path) {
        return files.get(path);
    }

    void forced(Path path, long length) {
        files.put(path, new Known(length, false));
    }

    void failed(Path path, long forced) {
        files.put(path, new Known(forced, true));
    }

    void forget(Path path) {
        files.remove(path);
    }

    void forgetAll() {
        files.clear();
    }
}
