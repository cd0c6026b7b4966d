package io.tidegate.connector.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tidegate.connector.postgres.SlotWatch.Limits;
import io.tidegate.spi.TidegateException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class SlotWatchTest {

    private static final long MIB = 1 << 20;

    @Test
    void aSlotIsShortOfRoomWhenAThirdOfItIsLeftAndNeverWithoutALimit() {
        assertThat(new Limits(-1, "-1", -1, "0").isShort(1L << 40)).isFalse();
        assertThat(new Limits(40 * MIB, "100MB", 100 * MIB, "0").isShort(60 * MIB))
                .isFalse();
        assertThat(new Limits(30 * MIB, "100MB", 100 * MIB, "0").isShort(70 * MIB))
                .isTrue();
        assertThat(new Limits(0, "100MB", 100 * MIB, "0").isShort(100 * MIB)).isTrue();
    }

    @Test
    void readsDurationsAsTheServerShowsThemAndNothingElse() {
        assertThat(SlotWatch.shown("0")).isZero();
        assertThat(SlotWatch.shown("500ms")).isEqualTo(Duration.ofMillis(500));
        assertThat(SlotWatch.shown("1min")).isEqualTo(Duration.ofMinutes(1));
        assertThat(SlotWatch.shown("2d")).isEqualTo(Duration.ofDays(2));
        assertThatThrownBy(() -> SlotWatch.shown("1 fortnight")).isInstanceOf(TidegateException.class);
    }
}
