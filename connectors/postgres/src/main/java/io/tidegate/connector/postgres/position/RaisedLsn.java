package io.tidegate.connector.postgres.position;

import io.tidegate.spi.Position;

/**
 * A position in the log, with the end of catch-up if a row was read from its table on the way: up to there changes are in
 * catch-up, whatever the plan says (rule 8). Printed as {@code 0/1776B40+0/1779000}.
 *
 * @param catchUpEnd beyond {@code lsn}
 */
public record RaisedLsn(Lsn lsn, Lsn catchUpEnd) implements Position {

    private static final char BETWEEN = '+';

    public RaisedLsn {
        if (!catchUpEnd.isAfter(lsn)) {
            throw new IllegalArgumentException("the end of catch-up " + catchUpEnd + " is not beyond " + lsn);
        }
    }

    /** The position, with the end of catch-up only if that is still to come. */
    public static Position of(Lsn lsn, Lsn catchUpEnd) {
        return catchUpEnd.isAfter(lsn) ? new RaisedLsn(lsn, catchUpEnd) : lsn;
    }

    /** The place in the log of any position of this source. */
    public static Lsn lsn(Position position) {
        if (position instanceof Lsn lsn) {
            return lsn;
        }
        if (position instanceof RaisedLsn raised) {
            return raised.lsn();
        }
        throw new IllegalArgumentException("not a position of a PostgreSQL source: " + position);
    }

    /** The end of catch-up that a position of this source carries; the position itself if it carries none. */
    public static Lsn catchUpEnd(Position position) {
        return position instanceof RaisedLsn raised ? raised.catchUpEnd() : lsn(position);
    }

    static Position parse(String text) {
        int between = text.indexOf(BETWEEN);
        return between < 0
                ? Lsn.parse(text)
                : new RaisedLsn(Lsn.parse(text.substring(0, between)), Lsn.parse(text.substring(between + 1)));
    }

    @Override
    public String toString() {
        return lsn.toString() + BETWEEN + catchUpEnd;
    }
}
