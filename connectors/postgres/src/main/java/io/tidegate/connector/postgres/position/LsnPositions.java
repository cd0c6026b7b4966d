package io.tidegate.connector.postgres.position;

import io.tidegate.spi.Position;
import io.tidegate.spi.Positions;
import java.util.Comparator;
import java.util.OptionalDouble;

/** The positions of a PostgreSQL source are {@link Lsn}s, the ends of commits or of keepalives, and {@link RaisedLsn}s. */
public final class LsnPositions implements Positions {

    private static final Comparator<Position> ORDER =
            Comparator.<Position, Lsn>comparing(RaisedLsn::lsn).thenComparing(RaisedLsn::catchUpEnd);

    @Override
    public String print(Position position) {
        RaisedLsn.lsn(position);
        return position.toString();
    }

    @Override
    public Position parse(String text) {
        return RaisedLsn.parse(text);
    }

    @Override
    public int compare(Position left, Position right) {
        return ORDER.compare(left, right);
    }

    /** Bytes of log since the server's beginning: the difference of two is log in bytes. */
    @Override
    public OptionalDouble number(Position position) {
        return OptionalDouble.of((double) RaisedLsn.lsn(position).value());
    }
}
