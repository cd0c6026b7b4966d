package io.tidegate.bench.report;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PercentilesTest {

    @Test
    void givesTheSmallestThatTheShareDoesNotExceed() {
        int[] micros =
                IntStream.rangeClosed(1, 1_000).map(n -> (1_001 - n) * 1_000).toArray();
        Percentiles all = new Percentiles(micros, micros.length);
        assertEquals(500, all.millis(0.5));
        assertEquals(990, all.millis(0.99));
        assertEquals(999, all.millis(0.999));
        assertEquals(1_000, all.maxMillis());
    }

    @Test
    void looksAtTheFirstOnesOnly() {
        Percentiles one = new Percentiles(new int[] {250, 7_000}, 1);
        assertEquals(1, one.count());
        assertEquals(0.25, one.maxMillis());
    }

    @Test
    void hasNoneOfNothing() {
        assertEquals(Double.NaN, new Percentiles(new int[0], 0).millis(0.5));
    }
}
