package io.tidegate.connector.files;

import io.tidegate.spi.Disk;
import java.io.IOException;
import java.nio.file.Path;

/** Makes folders whose names survive a loss of power. */
final class Folders {

    private Folders() {}

    /**
     * Makes a folder and those above it, each durable before the next. The deepest one that was there is made durable too:
     * a process may have died between making it and that.
     */
    static void create(Disk disk, Path folder) throws IOException {
        Path absolute = folder.toAbsolutePath().normalize();
        Path parent = absolute.getParent();
        if (parent == null) {
            return;
        }
        if (!disk.exists(absolute)) {
            create(disk, parent);
            disk.createDirectories(absolute);
        }
        disk.forceDirectory(parent);
    }
}
