package io.tidegate.server;

import io.tidegate.engine.PipelineStatus;
import io.tidegate.engine.PipelineStatus.State;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.Finding;
import io.tidegate.spi.SnapshotProgress;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** A status in which every number is another one. */
public final class StatusSamples {

    private StatusSamples() {}

    public static PipelineStatus of(String pipeline, State state) {
        return of(pipeline, state, Instant.now());
    }

    public static PipelineStatus of(String pipeline, State state, Instant at) {
        return new PipelineStatus(
                pipeline,
                state,
                state == State.STALLED ? "the sink's flush has not returned (for 41 s)" : "",
                "reads",
                at,
                4,
                new PipelineStatus.Places(
                        List.of(new PipelineStatus.Split("log", place("0/30", 48), place("0/20", 32), place("0/8", 8))),
                        20,
                        12,
                        Duration.ofMillis(1500),
                        new PipelineStatus.Lag(16.0, Duration.ofMillis(200)),
                        new PipelineStatus.Lag(24.0, Duration.ofSeconds(7))),
                new PipelineStatus.Delivery(
                        2,
                        300,
                        77_000,
                        5,
                        6,
                        new PipelineStatus.Delays(
                                Duration.ofMillis(250), Duration.ofMillis(125), Duration.ofMillis(900))),
                Map.of("retained_bytes", 4096.0, "slot_limit_bytes", 10.0 * (1 << 30)),
                new PipelineStatus.Snapshot(
                        List.of(
                                new PipelineStatus.Table(
                                        new SnapshotProgress("public.orders", 750, 1_000, 3, 4),
                                        25,
                                        Duration.ofSeconds(10)),
                                new PipelineStatus.Table(
                                        new SnapshotProgress("public.items", 0, 3_000, 0, 9), 0, null)),
                        25,
                        Duration.ofSeconds(130)),
                List.of(Finding.error(ErrorCode.TABLE_LOST, "table a", "its key is gone", "ALTER TABLE a …;")),
                List.of(
                        failure(ErrorCode.SINK_FAILED, "full", 3),
                        failure(ErrorCode.SOURCE_UNAVAILABLE, "connection refused", 11)));
    }

    private static PipelineStatus.Failure failure(ErrorCode code, String message, int count) {
        return new PipelineStatus.Failure(code, message, Instant.ofEpochSecond(1), Instant.ofEpochSecond(count), count);
    }

    private static PipelineStatus.Place place(String text, double number) {
        return new PipelineStatus.Place(text, number);
    }
}
