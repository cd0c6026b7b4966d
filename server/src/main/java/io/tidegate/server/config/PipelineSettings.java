package io.tidegate.server.config;

import static io.tidegate.server.config.PipelineConfig.Backoff;
import static io.tidegate.server.config.PipelineConfig.Checkpointing;
import static io.tidegate.server.config.PipelineConfig.Format;
import static io.tidegate.server.config.PipelineConfig.Limits;
import static io.tidegate.server.config.PipelineConfig.RejectPolicy;

import io.tidegate.spi.Setting;
import io.tidegate.spi.Settings;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/** The engine's settings: everything at the top of a pipeline's file but its source and its sink. */
public final class PipelineSettings {

    static final String NAME_PATTERN = "[a-z0-9_-]{1,40}";

    static final Setting<String> PIPELINE = Setting.text(
                    "pipeline",
                    null,
                    "The pipeline's name: 1 to 40 lower-case letters, digits, `_` and `-`. State, slot and metrics carry it,"
                            + " so a new name is a new pipeline.")
            .mandatory();

    static final Setting<String> FORMAT = Setting.choice(
            "format",
            "json",
            List.of("json", "flat"),
            "How changes are written: `json` with before, after and source, or `flat` with the row's columns and `_op`,"
                    + " `_ts`, `_position`.");

    static final Setting<String> REJECTS_POLICY = Setting.choice(
            "rejects.policy",
            "retry",
            List.of("retry", "halt"),
            "What follows when the sink refuses a change for good: `retry` offers it again, and what follows it waits;"
                    + " `halt` stops the pipeline with TG-REJECTED.");

    static final Setting<Long> BATCH_CHANGES = Setting.integer(
            "batch.changes", 1000, 1, 1_000_000, "A batch is handed to the sink when it has so many changes.");

    static final Setting<Long> BATCH_BYTES = Setting.size(
            "batch.bytes",
            "1MiB",
            1024,
            1L << 30,
            "A batch is handed to the sink when its changes have so many bytes. One larger change still passes.");

    static final Setting<Long> IN_FLIGHT_BATCHES = Setting.integer(
            "in_flight.batches", 256, 1, 10_000, "So many batches may wait for the sink; then reading pauses.");

    static final Setting<Long> IN_FLIGHT_BYTES = Setting.size(
            "in_flight.bytes",
            "32MiB",
            1024,
            16L << 30,
            "So many bytes may wait for the sink; then reading pauses. Not less than `batch.bytes`.");

    static final Setting<Duration> CHECKPOINT_INTERVAL = Setting.duration(
            "checkpoint.interval",
            "200ms",
            Duration.ofMillis(10),
            Duration.ofHours(1),
            "A checkpoint is written so often, if there is something new. What was delivered since the last one is delivered"
                    + " again after a crash.");

    static final Setting<Long> CHECKPOINT_CHANGES = Setting.integer(
            "checkpoint.changes",
            100_000,
            1,
            1_000_000_000,
            "A checkpoint is also written after so many changes, before its interval has passed; but never within 50 ms of the"
                    + " one before, unless the interval is shorter.");

    static final Setting<Duration> STOP_TIMEOUT = Setting.duration(
            "stop_timeout",
            "8s",
            Duration.ZERO,
            Duration.ofHours(1),
            "A stop delivers what was read and writes the checkpoint, for at most this time. What is not done then is"
                    + " delivered again at the next start.");

    static final Setting<Duration> RETRY_INITIAL = Setting.duration(
            "retry.initial",
            "1s",
            Duration.ofMillis(10),
            Duration.ofHours(1),
            "The wait after a failure, before the next attempt; doubled after each one that fails too.");

    static final Setting<Duration> RETRY_MAX = Setting.duration(
            "retry.max",
            "60s",
            Duration.ofMillis(10),
            Duration.ofHours(24),
            "The longest such wait. Not less than `retry.initial`.");

    static final Setting<String> STATE_DIR = Setting.text(
            "state.dir",
            "state",
            "The folder of the checkpoint. A relative path starts at the folder of this file. Several pipelines can share"
                    + " one.");

    private PipelineSettings() {}

    /** In the order of the configuration page. */
    public static List<Setting<?>> all() {
        return List.of(
                PIPELINE,
                FORMAT,
                REJECTS_POLICY,
                BATCH_CHANGES,
                BATCH_BYTES,
                IN_FLIGHT_BATCHES,
                IN_FLIGHT_BYTES,
                CHECKPOINT_INTERVAL,
                CHECKPOINT_CHANGES,
                STOP_TIMEOUT,
                RETRY_INITIAL,
                RETRY_MAX,
                STATE_DIR);
    }

    /** Whether a text can be the name of a pipeline. */
    public static boolean isName(String text) {
        return text.matches(NAME_PATTERN);
    }

    /** Says what does not fit together, as {@link Settings#invalid} problems. */
    static void check(Settings settings) {
        if (!isName(settings.get(PIPELINE))) {
            settings.invalid(
                    PIPELINE,
                    "is not a name of 1 to 40 lower-case letters, digits, _ and -",
                    "Write such a name, for example orders");
        }
    }

    static void checkRetry(Settings settings) {
        if (settings.get(RETRY_MAX).compareTo(settings.get(RETRY_INITIAL)) < 0) {
            settings.invalid(RETRY_MAX, "is less than retry.initial", "Write the same or more");
        }
    }

    static void checkInFlight(Settings settings) {
        if (settings.get(IN_FLIGHT_BYTES) < settings.get(BATCH_BYTES)) {
            settings.invalid(
                    IN_FLIGHT_BYTES,
                    "is less than batch.bytes, so no batch could ever be full",
                    "Write the same or more");
        }
    }

    static void checkStateDir(Settings settings) {
        String dir = settings.get(STATE_DIR);
        try {
            if (!dir.isBlank() && Path.of(dir).getNameCount() > 0) {
                return;
            }
            settings.invalid(STATE_DIR, "is not the path of a folder", "Write one, such as state");
        } catch (InvalidPathException e) {
            settings.invalid(STATE_DIR, "is not a path: " + e.getReason(), "Write the path of a folder");
        }
    }

    /** Of settings that none of the checks above called invalid. */
    static PipelineConfig toConfig(Settings settings) {
        return new PipelineConfig(
                settings.get(PIPELINE),
                Format.valueOf(settings.get(FORMAT).toUpperCase(Locale.ROOT)),
                RejectPolicy.valueOf(settings.get(REJECTS_POLICY).toUpperCase(Locale.ROOT)),
                new Limits(Math.toIntExact(settings.get(BATCH_CHANGES)), settings.get(BATCH_BYTES)),
                new Limits(Math.toIntExact(settings.get(IN_FLIGHT_BATCHES)), settings.get(IN_FLIGHT_BYTES)),
                new Checkpointing(settings.get(CHECKPOINT_INTERVAL), settings.get(CHECKPOINT_CHANGES)),
                new Backoff(settings.get(RETRY_INITIAL), settings.get(RETRY_MAX)),
                settings.get(STOP_TIMEOUT),
                settings.folder().resolve(settings.get(STATE_DIR)).normalize());
    }
}
