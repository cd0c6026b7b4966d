package io.tidegate.testkit.explore;

import io.tidegate.spi.Position;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/** A position in a script: the number of items before it. */
record Place(int items) implements Position {

    static final int MAX = 62;

    static final Comparator<Position> ORDER = Comparator.comparingInt(Place::items);

    private static final Place[] ALL = new Place[MAX + 1];

    static {
        for (int i = 0; i <= MAX; i++) {
            ALL[i] = new Place(i);
        }
    }

    static Place at(int items) {
        return ALL[items];
    }

    /** The number of items before a position; none before no position. */
    static int items(@Nullable Position position) {
        return position == null ? 0 : ((Place) position).items;
    }

    /** Tells positions apart for a digest; positive. */
    static long number(Position position) {
        return items(position) + 1L;
    }
}
