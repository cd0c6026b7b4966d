package io.tidegate.testkit.await;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class AwaitTest {
    private static final Duration LIMIT = Duration.ofSeconds(10);

    @Test
    void asksUntilTheConditionHolds() {
        AtomicInteger asked = new AtomicInteger();

        Await.until("the third question", LIMIT, () -> asked.incrementAndGet() == 3);

        assertThat(asked).hasValue(3);
        assertThat(Await.<Integer, RuntimeException>value("a value", LIMIT, () -> Optional.of(7)))
                .isEqualTo(7);
    }

    @Test
    void saysWhatItWaitedForAndHowFarThingsGotWhenTimeIsUp() {
        assertThatThrownBy(() -> Await.until("rain", Duration.ofMillis(30), () -> false, () -> "clouds"))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("30 ms")
                .hasMessageContaining("rain")
                .hasMessageContaining("clouds");
    }

    @Test
    void asksOnceMoreWhenTimeIsUp() {
        AtomicInteger asked = new AtomicInteger();

        Await.until("the first question", Duration.ZERO, () -> asked.incrementAndGet() == 1);

        assertThat(asked).hasValue(1);
    }

    @Test
    void letsThroughWhatTheConditionThrows() {
        assertThatThrownBy(() -> Await.until("anything", LIMIT, () -> {
                    throw new IOException("broken");
                }))
                .isInstanceOf(IOException.class);
    }

    @Test
    void endsWhenInterruptedAndKeepsTheInterrupt() {
        Thread.currentThread().interrupt();

        assertThatThrownBy(() -> Await.until("anything", LIMIT, () -> false)).hasMessageContaining("interrupted");

        assertThat(Thread.interrupted()).isTrue();
    }
}
