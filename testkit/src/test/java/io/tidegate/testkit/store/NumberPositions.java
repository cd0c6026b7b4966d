package io.tidegate.testkit.store;

import io.tidegate.spi.Position;
import io.tidegate.spi.Positions;
import java.util.Comparator;

/** Positions that are numbers, printed as {@code @17}. */
final class NumberPositions implements Positions {

    private static final Comparator<Position> ORDER = Comparator.comparingLong(p -> ((At) p).number());

    record At(long number) implements Position {}

    static At at(long number) {
        return new At(number);
    }

    @Override
    public String print(Position position) {
        return "@" + ((At) position).number();
    }

    @Override
    public Position parse(String text) {
        if (!text.matches("@(0|[1-9][0-9]{0,17})")) {
            throw new IllegalArgumentException("not a position: " + text);
        }
        return at(Long.parseLong(text.substring(1)));
    }

    @Override
    public int compare(Position a, Position b) {
        return ORDER.compare(a, b);
    }
}
