package io.tidegate.simulation.data;

import io.tidegate.spi.Position;
import io.tidegate.spi.Positions;

/**
 * A place in a log, or in a shard.
 *
 * @param raised the end of catch-up, if rows that were read on the way raised it beyond the place; else 0
 */
public record SimPosition(long at, long raised) implements Position {

    /** How they are printed and compared. */
    public static final Positions ORDER = new Order();

    public static SimPosition of(long at) {
        return new SimPosition(at, 0);
    }

    @Override
    public String toString() {
        return ORDER.print(this);
    }

    private static final class Order implements Positions {

        @Override
        public String print(Position position) {
            SimPosition place = (SimPosition) position;
            return place.raised == 0 ? Long.toString(place.at) : place.at + "+" + place.raised;
        }

        @Override
        public Position parse(String text) {
            int plus = text.indexOf('+');
            long at = Long.parseLong(plus < 0 ? text : text.substring(0, plus));
            long raised = plus < 0 ? 0 : Long.parseLong(text.substring(plus + 1));
            SimPosition parsed = new SimPosition(at, raised);
            if (!print(parsed).equals(text)) {
                throw new IllegalArgumentException(text + " is not a position");
            }
            return parsed;
        }

        @Override
        public int compare(Position a, Position b) {
            SimPosition first = (SimPosition) a;
            SimPosition second = (SimPosition) b;
            int places = Long.compare(first.at, second.at);
            return places != 0 ? places : Long.compare(first.raised, second.raised);
        }
    }
}
