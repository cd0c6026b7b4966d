package io.tidegate.testkit.fake;

import io.tidegate.spi.Position;
import io.tidegate.spi.Positions;
import java.util.OptionalDouble;

/** Positions that are numbers. */
public final class NumberPositions implements Positions {

    /** How many items of the split lie before it. */
    public record Place(int value) implements Position {}

    @Override
    public String print(Position position) {
        return Integer.toString(((Place) position).value());
    }

    @Override
    public OptionalDouble number(Position position) {
        return OptionalDouble.of(((Place) position).value());
    }

    @Override
    public Position parse(String text) {
        return new Place(Integer.parseInt(text));
    }

    @Override
    public int compare(Position a, Position b) {
        return Integer.compare(((Place) a).value(), ((Place) b).value());
    }
}
