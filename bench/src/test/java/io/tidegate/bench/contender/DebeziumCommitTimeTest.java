package io.tidegate.bench.contender;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class DebeziumCommitTimeTest {

    private static final String SOURCE =
            "\"source\":{\"version\":\"3.6.1.Final\",\"connector\":\"postgresql\",\"name\":\"bench\",\"ts_ms\":1753000000123,"
                    + "\"snapshot\":\"false\",\"db\":\"postgres\",\"ts_us\":1753000000123456,\"ts_ns\":1753000000123456000,"
                    + "\"schema\":\"public\",\"table\":\"t\",\"txId\":755,\"lsn\":26704120,\"xmin\":null}";
    private static final String MADE =
            ",\"transaction\":null,\"op\":\"c\",\"ts_ms\":1753000009999,\"ts_us\":1753000009999999,\"ts_ns\":1753000009999999999}";

    @Test
    void takesTheCommitTimeAndNotWhenTheEventWasMade() {
        assertEquals(
                1753000000123456L, DebeziumCommitTime.micros("{\"before\":null,\"after\":{\"id\":1}," + SOURCE + MADE));
    }

    @Test
    void isNotMisledByTheValuesOfARow() {
        String row = "{\"id\":1,\"ts_us\":17,\"b\":\"\\\"source\\\":{\\\"ts_us\\\":5}\"}";
        assertEquals(
                1753000000123456L,
                DebeziumCommitTime.micros("{\"before\":" + row + ",\"after\":" + row + "," + SOURCE + MADE));
    }

    @Test
    void refusesAnEventThatDoesNotSayIt() {
        assertThrows(
                IllegalArgumentException.class, () -> DebeziumCommitTime.micros("{\"after\":{\"ts_us\":5}" + MADE));
        assertThrows(
                IllegalArgumentException.class,
                () -> DebeziumCommitTime.micros("{\"after\":{\"id\":1},\"source\":{\"lsn\":1}" + MADE));
        assertThrows(
                IllegalArgumentException.class,
                () -> DebeziumCommitTime.micros("{\"after\":{\"id\":1},\"source\":{\"ts_us\":null}" + MADE));
    }
}
