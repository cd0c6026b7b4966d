package io.tidegate.engine;

import io.tidegate.spi.SnapshotProgress;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Logs what an operator wants to see go by: how the state changes, and how far a snapshot is. One thread. */
final class StatusLog {

    private static final System.Logger LOG = System.getLogger(StatusLog.class.getName());

    private static final long SNAPSHOT_NANOS = Duration.ofSeconds(10).toNanos();
    private static final int TABLES_MAX = 4;

    private PipelineStatus.@Nullable State said;
    private @Nullable Long snapshotSaidAt;

    void look(PipelineStatus status, long now) {
        if (status.state() != said) {
            said = status.state();
            say(status);
        }
        if (status.snapshot().tables().isEmpty() || status.state().ended()) {
            snapshotSaidAt = null;
        } else if (snapshotSaidAt == null) {
            snapshotSaidAt = now; // there is no rate yet
        } else if (now - snapshotSaidAt >= SNAPSHOT_NANOS) {
            snapshotSaidAt = now;
            LOG.log(System.Logger.Level.INFO, "{0}: {1}", status.pipeline(), snapshot(status.snapshot()));
        }
    }

    /** Failures are said where they happen. */
    private static void say(PipelineStatus status) {
        String name = status.pipeline();
        switch (status.state()) {
            case RUNNING ->
                LOG.log(
                        System.Logger.Level.INFO,
                        "{0}: running, {1} of {2} splits done",
                        name,
                        status.places().done(),
                        status.places().known());
            case STALLED -> LOG.log(System.Logger.Level.WARNING, "{0}: stalled: {1}", name, status.stalledOn());
            case COMPLETED ->
                LOG.log(System.Logger.Level.INFO, "{0}: complete, {1} changes delivered", name, status.delivered());
            case STARTING, DRAINING, BACKING_OFF, STOPPED, FAILED ->
                LOG.log(System.Logger.Level.DEBUG, "{0}: {1}", name, status.state());
        }
    }

    /** All of it, then the tables that are being read. */
    static String snapshot(PipelineStatus.Snapshot snapshot) {
        List<PipelineStatus.Table> reading = snapshot.tables().stream()
                .filter(table ->
                        table.progress().rowsDone() > 0 && !table.progress().done())
                .toList();
        long done = snapshot.tables().stream()
                .filter(table -> table.progress().done())
                .count();
        String tables = reading.stream().limit(TABLES_MAX).map(StatusLog::table).collect(Collectors.joining(", "));
        String more = reading.size() > TABLES_MAX ? ", and " + (reading.size() - TABLES_MAX) + " more" : "";
        return "snapshot " + percent(snapshot.rowsDone(), snapshot.rowsTotal()) + ", "
                + rows(snapshot.rowsDone()) + " of about " + rows(snapshot.rowsTotal()) + " rows, "
                + rows(Math.round(snapshot.rowsPerSecond())) + " rows/s, " + left(snapshot.left())
                + "; " + done + " of " + snapshot.tables().size() + " tables done"
                + (tables.isEmpty() ? "" : "; " + tables + more);
    }

    private static String table(PipelineStatus.Table table) {
        SnapshotProgress progress = table.progress();
        return progress.table() + " " + percent(progress.rowsDone(), progress.rowsTotal()) + " (" + left(table.left())
                + ")";
    }

    private static String percent(long part, long whole) {
        return (whole == 0 ? 100 : part * 100 / whole) + " %";
    }

    private static String rows(long rows) {
        return String.format(Locale.ROOT, "%,d", rows);
    }

    private static String left(@Nullable Duration left) {
        if (left == null) {
            return "time left unknown";
        }
        long seconds = left.toSeconds();
        String time = seconds < 120
                ? seconds + " s"
                : seconds < 7_200 ? seconds / 60 + " min" : seconds / 3_600 + " h " + seconds / 60 % 60 + " min";
        return time + " left";
    }
}
