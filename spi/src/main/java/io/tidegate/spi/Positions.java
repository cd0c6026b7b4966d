package io.tidegate.spi;

import java.util.Comparator;
import java.util.OptionalDouble;

/**
 * What a source knows about its own positions: how they are printed, parsed and ordered. Any thread may call it.
 * {@code parse(print(p))} equals {@code p}; a text that {@link #print} cannot give is refused, never guessed at.
 */
public interface Positions extends Comparator<Position> {

    String print(Position position);

    /** The position as a number that rises with it, for graphs; nothing where there is none. */
    default OptionalDouble number(Position position) {
        return OptionalDouble.empty();
    }

    /**
     * Reads what {@link #print} wrote.
     *
     * @throws IllegalArgumentException if the text is not a position of this source
     */
    Position parse(String text);
}
