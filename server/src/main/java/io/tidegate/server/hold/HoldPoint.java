package io.tidegate.server.hold;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** Where a process can be held; each is between two steps of the one rule (I1), or of a birth (I17). */
enum HoldPoint {
    /** The source has done one step of getting ready, and what it did is not recorded. Counts steps. */
    PREPARED,
    /** One step of getting ready is recorded. Counts records. */
    RECORDED,
    /** Half, or all, of what is written to the state's file is in it, and not forced. Counts halves. */
    WRITING,
    /** Changes are durable at the sink, which did not say so yet. Counts changes. */
    SETTLING,
    /** A checkpoint is durable, and the source was not told. Counts what it is told. */
    ACKNOWLEDGING;

    String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    static String all() {
        return Arrays.stream(values()).map(HoldPoint::text).collect(Collectors.joining(", "));
    }
}
