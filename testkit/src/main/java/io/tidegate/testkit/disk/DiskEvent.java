package io.tidegate.testkit.disk;

/** What a disk did to what was not forced; a test counts them to see that each occurred. */
public enum DiskEvent {
    FAULT,
    OUT_OF_SPACE,
    CONTENT_LOST,
    CONTENT_KEPT,
    CONTENT_CUT,
    PAGES_LOST,
    NAMES_LOST,
    NAMES_KEPT
}
