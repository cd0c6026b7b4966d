package io.tidegate.bench.contender;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class DelaysTest {

    @Test
    void givesTheSmallestValueThatTheShareDoesNotExceed() {
        long[] micros = LongStream.rangeClosed(1, 1_000).map(n -> n * 1_000).toArray();
        assertEquals(500, Delays.quantile(micros, 0.5));
        assertEquals(990, Delays.quantile(micros, 0.99));
        assertEquals(999, Delays.quantile(micros, 0.999));
        assertEquals(1_000, Delays.quantile(micros, 1));
        assertEquals(0.25, Delays.quantile(new long[] {250}, 0.5));
    }

    @Test
    void hasNoQuantileOfNothing() {
        assertThrows(IllegalStateException.class, () -> Delays.quantile(new long[0], 0.5));
    }
}
