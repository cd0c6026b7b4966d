package io.tidegate.engine.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidegate.testkit.property.Property;
import java.time.Duration;
import java.util.Arrays;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class DelayWindowTest {

    private final DelayWindow delays = new DelayWindow();

    @Test
    void aQuantileIsAtMostAnEighthAboveTheExactOne() {
        Property.check("quantiles of random delays", 200, choices -> {
            DelayWindow window = new DelayWindow();
            long[] values = new long[choices.between(1, 200)];
            for (int i = 0; i < values.length; i++) {
                values[i] = choices.between(0L, 1L << choices.between(0, 60));
                window.add(values[i], 1, 0);
            }
            Arrays.sort(values);
            for (double share : new double[] {0.01, 0.5, 0.99, 1}) {
                long exact = values[(int) Math.max(0, Math.ceil(share * values.length) - 1)];
                assertThat(window.quantileMillis(share, 0).orElseThrow())
                        .as("%s", share)
                        .isBetween(exact, exact + exact / 8);
            }
        });
    }

    @Test
    void eachChangeOfABatchCounts() {
        delays.add(1_000, 1, 0);
        delays.add(3, 99, 0);
        assertThat(delays.quantileMillis(0.99, 0)).hasValue(3);
        delays.add(1_000, 1, 0);
        assertThat(delays.quantileMillis(0.99, 0).orElseThrow()).isGreaterThanOrEqualTo(1_000);
    }

    @Test
    void whatIsOlderThanAMinuteIsForgottenButTheNewestStays() {
        delays.add(7, 1, at(-110));
        delays.add(9, 1, at(-45));
        assertThat(delays.quantileMillis(0.5, at(-45))).hasValue(9);
        assertThat(delays.quantileMillis(0.5, at(5))).hasValue(9);
        assertThat(delays.quantileMillis(0.5, at(16))).isEmpty();
        assertThat(delays.newestMillis()).hasValue(9);
    }

    @Test
    void beforeTheFirstNothingIsKnown() {
        assertThat(delays.newestMillis()).isEqualTo(OptionalLong.empty());
        assertThat(delays.quantileMillis(0.5, 0)).isEqualTo(OptionalLong.empty());
    }

    private static long at(int seconds) {
        return Duration.ofSeconds(seconds).toNanos();
    }
}
