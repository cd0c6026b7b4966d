package io.tidegate.demo.compare;

import java.util.Map;

/**
 * Which transactions lie before a snapshot's point. The server's own log says so, and no position that was delivered.
 *
 * @param commitLsns the start of the commit record of each transaction that committed below {@code end}, by its id
 */
public record CommitOrder(Map<Long, Long> commitLsns) {

    public CommitOrder {
        commitLsns = Map.copyOf(commitLsns);
    }

    /** Whether a snapshot of this point contains what the transaction did: it does if and only if the commit lies below. */
    boolean before(long tx, long point) {
        Long commit = commitLsns.get(tx);
        return commit != null && Long.compareUnsigned(commit, point) < 0;
    }

    /** Reads an LSN as PostgreSQL prints it: two hexadecimal numbers of 32 bits. */
    public static long parseLsn(String text) {
        int slash = text.indexOf('/');
        if (slash < 1) {
            throw new IllegalArgumentException("not an LSN: " + text);
        }
        return Long.parseLong(text.substring(0, slash), 16) << 32 | Long.parseLong(text.substring(slash + 1), 16);
    }
}
