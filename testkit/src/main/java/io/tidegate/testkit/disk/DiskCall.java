package io.tidegate.testkit.disk;

/** What can be asked of a disk, for counting and for faults. */
public enum DiskCall {
    OPEN,
    EXISTS,
    CREATE_DIRECTORIES,
    LIST,
    RENAME,
    DELETE,
    FORCE_DIRECTORY,
    LOCK,
    SIZE,
    READ,
    WRITE,
    TRUNCATE,
    FORCE,
    CLOSE
}
