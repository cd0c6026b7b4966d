package io.tidegate.connector.postgres.pgoutput;

import io.tidegate.connector.postgres.position.Lsn;

/**
 * What stands before the content of a logical message.
 *
 * @param lsn where it begins in the log
 */
record MessageHead(boolean transactional, Lsn lsn, String prefix) {

    /** Kind, flags, LSN. */
    private static final int BEFORE_PREFIX_BYTES = 10;

    /** Reads on behind the message's kind. */
    static MessageHead parse(MessageCursor message) {
        boolean transactional = (message.int8() & 1) != 0;
        return new MessageHead(transactional, new Lsn(message.int64()), message.text());
    }

    /** Whether the prefix ends within the range, which begins with the message's kind. */
    static boolean fits(byte[] data, int from, int length) {
        for (int at = from + BEFORE_PREFIX_BYTES; at < from + length; at++) {
            if (data[at] == 0) {
                return true;
            }
        }
        return false;
    }
}
