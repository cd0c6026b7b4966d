package io.tidegate.connector.postgres.position;

import io.tidegate.spi.Position;
import io.tidegate.spi.Positions;
import java.util.OptionalDouble;

/** The positions of a PostgreSQL source are {@link Lsn}s: the ends of commits, or of keepalives. */
public final class LsnPositions implements Positions {

    @Override
    public String print(Position position) {
        return lsn(position).toString();
    }

    @Override
    public Position parse(String text) {
        return Lsn.parse(text);
    }

    @Override
    public int compare(Position left, Position right) {
        return lsn(left).compareTo(lsn(right));
    }

    /** Bytes of log since the server's beginning: the difference of two is log in bytes. */
    @Override
    public OptionalDouble number(Position position) {
        return OptionalDouble.of((double) lsn(position).value());
    }

    private static Lsn lsn(Position position) {
        if (position instanceof Lsn lsn) {
            return lsn;
        }
        throw new IllegalArgumentException("not a position of a PostgreSQL source: " + position);
    }
}
