package io.tidegate.chaos;

import io.tidegate.spi.Position;
import io.tidegate.spi.Positions;

/**
 * A position of the checkpoint as its text says it, {@code 0/1776B40} or {@code 0/1776B40+0/1779000}: read here once more,
 * without the connector.
 */
record LogPosition(String text) implements Position {

    /** Orders by place in the log, so that reading a checkpoint notices one that went back. */
    static final Positions ALL = new Positions() {
        @Override
        public String print(Position position) {
            return of(position).text;
        }

        @Override
        public Position parse(String text) {
            return new LogPosition(text);
        }

        @Override
        public int compare(Position left, Position right) {
            return Long.compareUnsigned(of(left).lsn(), of(right).lsn());
        }
    };

    static LogPosition of(Position position) {
        return (LogPosition) position;
    }

    /** Behind it stands up to where catch-up lasts. */
    long lsn() {
        return Delivered.lsn(text.replaceFirst("\\+.*", ""));
    }
}
