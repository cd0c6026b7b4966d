package io.tidegate.testkit.fake;

/**
 * Is told of each call to a fake before it is carried out, and may throw, or hang, instead of it. Called by the thread that
 * calls the fake.
 */
public interface Trouble {

    /** No trouble. */
    Trouble NONE = (call, what) -> {};

    /** What is called. */
    enum Call {
        CONNECT,
        PREPARE,
        OPEN_SPLIT,
        POLL,
        /** A row is given. */
        ROW,
        CONFIRM,
        TEND,
        CLOSE_READER,
        OPEN_SINK,
        ACCEPT,
        FLUSH,
        /** A flush took effect, and reports that next. */
        FLUSHED,
        CLOSE_SINK,
        READ_STATE,
        WRITE_STATE,
        /** A write is durable, and says so next. */
        STATE_WRITTEN
    }

    /**
     * This is about to happen.
     *
     * @param what the split, the batch's first change, or nothing
     */
    void before(Call call, String what) throws InterruptedException;
}
