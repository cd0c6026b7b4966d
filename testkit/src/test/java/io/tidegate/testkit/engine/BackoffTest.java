package io.tidegate.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidegate.engine.session.Backoff;
import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class BackoffTest {

    @Test
    void waitsDoubleUpToTheLongestOneWithAQuarterOfJitterAndStartAnewWhenReset() {
        for (long seed = 0; seed < 100; seed++) {
            Backoff backoff = new Backoff(Duration.ofMillis(100), Duration.ofMillis(1_000), new SplittableRandom(seed));
            for (int round = 0; round < 2; round++) {
                for (long most : new long[] {100, 200, 400, 800, 1_000, 1_000}) {
                    assertThat(Duration.ofNanos(backoff.next()))
                            .as("seed " + seed)
                            .isBetween(Duration.ofMillis(most * 3 / 4), Duration.ofMillis(most));
                }
                backoff.reset();
            }
        }
    }
}
