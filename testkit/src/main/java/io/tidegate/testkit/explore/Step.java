package io.tidegate.testkit.explore;

/** The kinds of transitions of a world. A step is one int: its kind, a split or an index, a batch. */
enum Step {
    /** The source tells the gate of splits. */
    PLAN,
    /** Splits are written before the session's gate is built. */
    PREPARE,
    /** The same, in place of others that are forgotten by the same write. */
    REPLAN,
    READ,
    CUT,
    FINISH,
    /** A batch is durable at the sink; nobody knows yet. */
    SINK_DURABLE,
    /** A batch is durable and reported. */
    SETTLE,
    /** The write under way is durable; nobody knows yet. */
    STORE_LANDED,
    STORE_OK,
    STORE_FAILED_LOST,
    STORE_FAILED_LANDED,
    /** The source took an acknowledgement; nobody knows yet. */
    ACKNOWLEDGE_TAKEN,
    ACKNOWLEDGE,
    TICK,
    FAIL,
    STOP,
    START,
    CRASH,
    /** The process dies, and the write under way has landed. */
    CRASH_WROTE,
    /** A batch of a dead session becomes durable at the sink. */
    LATE_LANDING,
    /** A batch of a dead session can land no more: its sink was closed. */
    LATE_CLOSE,
    /** A dead session reports a batch as settled. */
    LATE_SETTLE,
    LATE_BATCH,
    LATE_MARKER,
    LATE_FINISH,
    LATE_FAIL;

    private static final Step[] KINDS = values();

    /** The kind alone, as a number from 0 on. */
    @SuppressWarnings("EnumOrdinal") // never leaves the process
    int code() {
        return ordinal();
    }

    int at(int split) {
        return code() | split << 8;
    }

    int at(int split, int batch) {
        return code() | split << 8 | batch << 16;
    }

    static Step kind(int step) {
        return KINDS[step & 0xff];
    }

    static int split(int step) {
        return step >> 8 & 0xff;
    }

    static int batch(int step) {
        return step >> 16;
    }

    /** Prints a step for a trace. */
    static String show(int step) {
        Step kind = kind(step);
        return switch (kind) {
            case READ, CUT, FINISH, ACKNOWLEDGE, ACKNOWLEDGE_TAKEN -> kind + "(" + split(step) + ")";
            case SINK_DURABLE, SETTLE -> kind + "(" + split(step) + "," + batch(step) + ")";
            case LATE_LANDING, LATE_CLOSE, LATE_SETTLE, LATE_BATCH, LATE_MARKER, LATE_FINISH ->
                kind + "[" + split(step) + "]";
            case PLAN,
                    PREPARE,
                    REPLAN,
                    STORE_LANDED,
                    STORE_OK,
                    STORE_FAILED_LOST,
                    STORE_FAILED_LANDED,
                    TICK,
                    FAIL,
                    LATE_FAIL,
                    STOP,
                    START,
                    CRASH,
                    CRASH_WROTE -> kind.toString();
        };
    }
}
