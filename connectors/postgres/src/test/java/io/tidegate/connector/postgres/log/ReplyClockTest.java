package io.tidegate.connector.postgres.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class ReplyClockTest {

    private static long ms(long millis) {
        return Duration.ofMillis(millis).toNanos();
    }

    @Test
    void answersAtOnceAndThenEveryThirdOfTheServersPatience() {
        ReplyClock clock = new ReplyClock(Duration.ofSeconds(6), ms(50_000));
        assertThat(clock.due(ms(50_000))).isTrue();
        clock.replied(ms(50_000));
        assertThat(clock.due(ms(51_999))).isFalse();
        assertThat(clock.due(ms(52_000))).isTrue();
    }

    @Test
    void answersEveryTenSecondsWhenTheServerNeverGivesUp() {
        ReplyClock clock = new ReplyClock(Duration.ZERO, 0);
        clock.replied(0);
        assertThat(clock.due(ms(9_999))).isFalse();
        assertThat(clock.due(ms(10_000))).isTrue();
    }

    @Test
    void answersAnAskingServerAtMostTenTimesASecond() {
        ReplyClock clock = new ReplyClock(Duration.ofSeconds(60), 0);
        clock.replied(0);
        int answers = 0;
        for (long now = 0; now < 1000; now++) {
            clock.serverAsks();
            if (clock.due(ms(now))) {
                clock.replied(ms(now));
                answers++;
            }
        }
        assertThat(answers).isBetween(8, 10);
    }

    @Test
    void answersOnceForEachTimeItIsAsked() {
        ReplyClock clock = new ReplyClock(Duration.ofSeconds(60), 0);
        clock.replied(0);
        clock.serverAsks();
        assertThat(clock.due(ms(99))).isFalse();
        assertThat(clock.due(ms(100))).isTrue();
        clock.replied(ms(100));
        for (long now = 101; now < 10_100; now += 50) {
            assertThat(clock.due(ms(now))).as("after %d ms", now).isFalse();
        }
    }

    @Test
    void callsTheServerSilentAfterThirtySecondsOfReadingAndThreeRequests() {
        ReplyClock clock = new ReplyClock(Duration.ofSeconds(60), 0);
        clock.replied(0);
        int requests = 0;
        for (long now = 500; now < 30_000; now += 500) {
            clock.read(ms(500), false);
            assertThat(clock.silent()).as("after %d ms", now).isFalse();
            if (clock.due(ms(now)) && clock.replied(ms(now))) {
                requests++;
            }
        }
        clock.read(ms(500), false);
        assertThat(requests).isEqualTo(3);
        assertThat(clock.silent()).isTrue();
    }

    @Test
    void neverCallsAServerSilentThatSendsOneByte() {
        ReplyClock clock = new ReplyClock(Duration.ofSeconds(60), 0);
        for (long now = 0; now < 300_000; now += 500) {
            clock.read(ms(500), now % 29_000 == 0);
            if (clock.due(ms(now))) {
                clock.replied(ms(now));
            }
            assertThat(clock.silent()).isFalse();
        }
    }

    @Test
    void neverCallsAServerSilentThatWasNotAsked() {
        ReplyClock clock = new ReplyClock(Duration.ofSeconds(60), 0);
        clock.read(ms(60_000), false);
        assertThat(clock.silent()).isFalse();
    }
}
