package io.tidegate.testkit.disk;

/** How a call fails. */
public enum DiskFault {
    /** Nothing happened. */
    REFUSED,
    /** It happened, and the caller hears that it failed. */
    LANDED,
    /** A write put some of its bytes into the cache; any other call did nothing. */
    PARTLY,
    /**
     * A force wrote some of the pages and marked all of them clean, so that the next force succeeds without writing them;
     * any other call did nothing.
     */
    MARKED_CLEAN
}
