package io.tidegate.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidegate.engine.session.Wait;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Time goes on by seconds, as it does between two publications that matter. */
class SilentSourceTest {

    private final SilentSource silent = new SilentSource();
    private Object session = new Object();
    private long seconds;

    @Test
    void aLogThatGrowsWhileNothingComesIsAStallWithinAMinute() {
        int stalledAfter = 0;
        for (int i = 1; i <= 60 && stalledAfter == 0; i++) {
            stalledAfter = stalled(0, 1_000.0 + i) ? i : 0;
        }
        assertThat(stalledAfter).isBetween(30, 60);
    }

    @Test
    void growthThatIsMeasuredShortlyAfterThePositionsMovedIsNone() {
        for (int i = 0; i < 1_000; i++) {
            assertThat(stalled(1, i < 5 ? 1_000.0 : 2_000.0)).isFalse();
        }
    }

    @Test
    void growthThatIsFollowedBeginsAnew() {
        for (int i = 0; i < 1_000; i++) {
            assertThat(stalled(i / 20, 1_000.0 + i)).isFalse();
        }
    }

    @Test
    void whatHasSomethingInFlightIsNotJudgedHere() {
        for (int i = 0; i < 1_000; i++) {
            if (i % 30 == 0) {
                silent.busy();
            }
            assertThat(stalled(0, 1_000.0 + i)).isFalse();
        }
    }

    @Test
    void anotherSessionBeginsAnew() {
        for (int i = 0; i < 1_000; i++) {
            if (i % 30 == 0) {
                session = new Object();
            }
            assertThat(stalled(0, 1_000.0 + i)).isFalse();
        }
    }

    @Test
    void withoutAMeasureNothingIsSaid() {
        for (int i = 0; i < 1_000; i++) {
            assertThat(stalled(0, null)).isFalse();
        }
    }

    private boolean stalled(long moves, @Nullable Double retained) {
        long now = Duration.ofSeconds(seconds++).toNanos();
        return Wait.stall(
                        silent.look(session, moves, retained, now).map(List::of).orElse(List.of()), now)
                .isPresent();
    }
}
