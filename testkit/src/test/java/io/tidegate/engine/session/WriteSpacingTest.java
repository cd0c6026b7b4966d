package io.tidegate.engine.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidegate.engine.PipelineOptions;
import io.tidegate.engine.gate.GateLimits;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** How often a store is written to at most. */
class WriteSpacingTest {

    @Test
    void isTwentyTimesASecondUnlessAShorterIntervalIsAskedFor() {
        assertThat(limits(PipelineOptions.defaults().checkpointInterval()).writeSpacing())
                .isEqualTo(50_000_000);
        assertThat(limits(Duration.ofHours(1)).writeSpacing()).isEqualTo(50_000_000);
        assertThat(limits(Duration.ofMillis(10)).writeSpacing()).isEqualTo(10_000_000);
        assertThat(limits(Duration.ZERO).writeSpacing()).isZero();
    }

    private static GateLimits limits(Duration checkpointInterval) {
        PipelineOptions d = PipelineOptions.defaults();
        PipelineOptions options = new PipelineOptions(
                d.batchChanges(),
                d.batchBytes(),
                d.inFlightBatches(),
                d.inFlightBytes(),
                checkpointInterval,
                d.checkpointChanges(),
                d.rejects(),
                d.retryInitial(),
                d.retryMax(),
                d.stopTimeout());
        return new SessionParts("p", null, null, null, options, null, null, new SessionParts.Counters()).gateLimits();
    }
}
