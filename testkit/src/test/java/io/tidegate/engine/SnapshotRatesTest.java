package io.tidegate.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidegate.spi.SnapshotProgress;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class SnapshotRatesTest {

    private final SnapshotRates rates = new SnapshotRates();
    private long seconds;

    @Test
    void theTimeLeftIsWhatTheObservedRateGives() {
        PipelineStatus.Snapshot snapshot = PipelineStatus.Snapshot.NONE;
        for (int i = 0; i <= 40; i++) {
            snapshot = look(table("a", 100L * i, 10_000), table("b", 0, 6_000));
        }
        assertThat(snapshot.rowsPerSecond()).isEqualTo(100);
        assertThat(snapshot.left()).isEqualTo(Duration.ofMinutes(2));
        assertThat(snapshot.tables().get(0).left()).isEqualTo(Duration.ofMinutes(1));
        assertThat(snapshot.tables().get(1).left()).as("of a table that waits").isNull();
        assertThat(snapshot.rowsDone()).isEqualTo(4_000);
        assertThat(snapshot.rowsTotal()).isEqualTo(16_000);
    }

    @Test
    void theRateFollowsALoadThatChanges() {
        PipelineStatus.Snapshot snapshot = PipelineStatus.Snapshot.NONE;
        long rows = 0;
        for (int i = 0; i < 600; i++) {
            rows += i < 300 ? 1_000 : 10;
            snapshot = look(table("a", rows, 1_000_000));
        }
        assertThat(snapshot.rowsPerSecond()).isEqualTo(10);
    }

    @Test
    void aSnapshotThatStandsStillHasNoTimeLeft() {
        look(table("a", 0, 1_000));
        look(table("a", 500, 1_000));
        PipelineStatus.Snapshot snapshot = PipelineStatus.Snapshot.NONE;
        for (int i = 0; i < 60; i++) {
            snapshot = look(table("a", 500, 1_000));
        }
        assertThat(snapshot.left()).isNull();
        assertThat(snapshot.rowsPerSecond()).isZero();
    }

    @Test
    void aTableThatIsReadAnewIsMeasuredAnew() {
        for (int i = 0; i <= 40; i++) {
            look(table("a", 100L * i, 10_000));
        }
        PipelineStatus.Snapshot snapshot = look(table("a", 0, 10_000));
        assertThat(snapshot.left()).isNull();
        snapshot = look(table("a", 50, 10_000));
        assertThat(snapshot.tables().get(0).rowsPerSecond()).isEqualTo(50);
    }

    @Test
    void aTableThatIsDoneNeedsNoMoreTimeWhateverWasEstimated() {
        look(table("a", 0, 10_000));
        PipelineStatus.Snapshot snapshot = look(new SnapshotProgress("a", 700, 10_000, 1, 1));
        assertThat(snapshot.left()).isEqualTo(Duration.ZERO);
        assertThat(snapshot.tables().get(0).left()).isEqualTo(Duration.ZERO);
    }

    @Test
    void noTablesAreNoSnapshot() {
        look(table("a", 10, 100));
        assertThat(look()).isEqualTo(PipelineStatus.Snapshot.NONE);
    }

    private PipelineStatus.Snapshot look(SnapshotProgress... tables) {
        return rates.look(List.of(tables), Duration.ofSeconds(seconds++).toNanos());
    }

    private static SnapshotProgress table(String name, long done, long total) {
        return new SnapshotProgress(name, done, total, 0, 1);
    }
}
