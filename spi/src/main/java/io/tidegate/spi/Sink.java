package io.tidegate.spi;

import java.util.List;

/** One configured sink. Immutable, without connections; lives as long as its pipeline. */
public interface Sink {

    List<Finding> check();

    /** The same, with what only a look at both sides can find: a sink that writes what the source reads. */
    default List<Finding> check(Source source) {
        return check();
    }

    /** Opens a session; only after every hand-over of the session before it has ended (I2). */
    SinkSession open(SinkContext context);
}
