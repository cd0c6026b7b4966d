package io.tidegate.server.http;

import io.tidegate.engine.PipelineStatus;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Every metric, but those of the JVM and those that a source measures; the table of {@code docs/monitoring.md} is made from it. */
enum Metric {
    PIPELINE_STATE("tidegate_pipeline_state", "0 or 1", "by `state`: 1 for the state it is in", (status, out) -> {
        for (PipelineStatus.State state : PipelineStatus.State.values()) {
            out.put(state == status.state() ? 1 : 0, "state", StatusJson.name(state));
        }
    }),
    PIPELINE_READY(
            "tidegate_pipeline_ready",
            "0 or 1",
            "1 if it counts as ready at `/readyz`",
            one(status -> Readiness.whyNot(status).isEmpty() ? 1.0 : 0.0)),
    UNSETTLED_BATCHES("tidegate_unsettled_batches", "batches", "handed over, fate not final", one(status ->
            (double) status.unsettledBatches())),
    UNSETTLED_BYTES("tidegate_unsettled_bytes", "bytes", "their size", one(status -> (double) status.unsettledBytes())),
    CHECKPOINT_AGE(
            "tidegate_checkpoint_age_seconds",
            "s",
            "since the last write to the store ended; grows while there is nothing to write, too",
            one(status -> StatusJson.seconds(status.places().checkpointAge()))),
    UNPERSISTED_UNITS(
            "tidegate_settled_to_persisted_units",
            "source's own; bytes of log for PostgreSQL",
            "how far the checkpoint lies behind what is settled, of the split where it is most; absent where positions are no numbers",
            one(status -> status.places().unpersisted().units())),
    UNPERSISTED_SECONDS(
            "tidegate_settled_to_persisted_seconds",
            "s",
            "since when something settled waits to be in the checkpoint; 0 if nothing does",
            one(status -> StatusJson.seconds(status.places().unpersisted().time()))),
    UNACKNOWLEDGED_UNITS(
            "tidegate_persisted_to_acknowledged_units",
            "source's own; bytes of log for PostgreSQL",
            "how far what the source was told lies behind the checkpoint",
            one(status -> status.places().unacknowledged().units())),
    UNACKNOWLEDGED_SECONDS(
            "tidegate_persisted_to_acknowledged_seconds",
            "s",
            "since when the checkpoint waits for the source to confirm it; 0 if it does not",
            one(status -> StatusJson.seconds(status.places().unacknowledged().time()))),
    DELAY(
            "tidegate_delay_seconds",
            "s",
            "from commit in the database to durable at the sink, of the newest settled change",
            one(status -> StatusJson.seconds(status.delivery().delays().newest()))),
    DELAY_P50(
            "tidegate_delay_p50_seconds",
            "s",
            "half of the changes of the last minute took no longer; absent without any",
            one(status -> StatusJson.seconds(status.delivery().delays().median()))),
    DELAY_P99(
            "tidegate_delay_p99_seconds",
            "s",
            "99 of 100 changes of the last minute took no longer",
            one(status -> StatusJson.seconds(status.delivery().delays().p99()))),
    DELIVERED(
            "tidegate_changes_delivered_total",
            "changes",
            "durable at the sink since the process started",
            one(status -> (double) status.delivered())),
    REJECTED(
            "tidegate_changes_rejected_total",
            "refusals",
            "by the sink; a change that is offered again counts each time",
            one(status -> (double) status.rejected())),
    NOTHING_TO_DO(
            "tidegate_changes_nothing_to_do_total",
            "changes",
            "that found nothing to do at the sink, such as an update of a row that a snapshot has yet to bring",
            one(status -> (double) status.delivery().nothingToDo())),
    RECONNECTS("tidegate_reconnects_total", "sessions", "but the first", one(status ->
            (double) Math.max(0, status.sessions() - 1))),
    SPLITS("tidegate_splits", "splits", "known", one(status ->
            (double) status.places().known())),
    SPLITS_DONE("tidegate_splits_done", "splits", "durably done", one(status ->
            (double) status.places().done())),
    SNAPSHOT_ROWS(
            "tidegate_snapshot_rows",
            "rows",
            "of all tables, read; absent without a snapshot",
            one(status -> ofSnapshot(status, snapshot -> (double) snapshot.rowsDone()))),
    SNAPSHOT_ROWS_EXPECTED(
            "tidegate_snapshot_rows_expected",
            "rows",
            "of all tables, as their database estimates",
            one(status -> ofSnapshot(status, snapshot -> (double) snapshot.rowsTotal()))),
    SNAPSHOT_LEFT(
            "tidegate_snapshot_left_seconds",
            "s",
            "until the snapshot is over, at the rate of the last half minute; absent without a rate",
            one(status -> ofSnapshot(status, snapshot -> StatusJson.seconds(snapshot.left())))),
    SNAPSHOT_TABLE_ROWS(
            "tidegate_snapshot_table_rows",
            "rows",
            "by `table`: read, of the tables that are being read, 100 at most",
            byTable(table -> (double) table.progress().rowsDone())),
    SNAPSHOT_TABLE_ROWS_EXPECTED(
            "tidegate_snapshot_table_rows_expected",
            "rows",
            "by `table`: there are, as its database estimates",
            byTable(table -> (double) table.progress().rowsTotal())),
    SNAPSHOT_TABLE_LEFT(
            "tidegate_snapshot_table_left_seconds",
            "s",
            "by `table`: until it is read, at its rate",
            byTable(table -> StatusJson.seconds(table.left()))),
    PROBLEMS(
            "tidegate_problems",
            "problems",
            "that stand and do not stop the pipeline, such as a table that is not captured any more",
            one(status -> (double) status.problems().size())),
    ERRORS("tidegate_errors_total", "failures", "by `code`, since the process started", (status, out) -> {
        for (PipelineStatus.Failure error : status.errors()) {
            out.put((double) error.count(), "code", error.code().code());
        }
    }),
    LAST_ERROR(
            "tidegate_last_error_timestamp_seconds",
            "s since 1970",
            "by `code`: when it failed so last",
            (status, out) -> {
                for (PipelineStatus.Failure error : status.errors()) {
                    out.put(
                            error.last().toEpochMilli() / 1e3,
                            "code",
                            error.code().code());
                }
            });

    /** What a source measures stands behind this, with the measure's name. */
    static final String OF_SOURCE = "tidegate_source_";

    private static final String COUNTS = "_total";
    private static final int TABLES_MAX = 100;

    /** Takes the values of one pipeline. */
    interface Out {
        /**
         * Takes one value.
         *
         * @param label a name and its value, or nothing
         */
        void put(double value, String... label);
    }

    /** Gives the values of one pipeline. */
    interface Values {
        void of(PipelineStatus status, Out out);
    }

    private final String exposedName;
    private final String unit;
    private final String meaning;

    @SuppressWarnings("ImmutableEnumChecker") // functions without a state
    private final Values values;

    Metric(String exposedName, String unit, String meaning, Values values) {
        this.exposedName = exposedName;
        this.unit = unit;
        this.meaning = meaning;
        this.values = values;
    }

    private static Values one(Function<PipelineStatus, @Nullable Double> value) {
        return (status, out) -> {
            Double found = value.apply(status);
            if (found != null) {
                out.put(found);
            }
        };
    }

    private static @Nullable Double ofSnapshot(
            PipelineStatus status, Function<PipelineStatus.Snapshot, @Nullable Double> value) {
        return status.snapshot().tables().isEmpty() ? null : value.apply(status.snapshot());
    }

    /** Ten thousand tables that wait or are done are no series of their own. */
    private static Values byTable(Function<PipelineStatus.Table, @Nullable Double> value) {
        return (status, out) -> status.snapshot().tables().stream()
                .filter(table ->
                        table.progress().rowsDone() > 0 && !table.progress().done())
                .limit(TABLES_MAX)
                .forEach(table -> {
                    Double found = value.apply(table);
                    if (found != null) {
                        out.put(found, "table", table.progress().table());
                    }
                });
    }

    String exposedName() {
        return exposedName;
    }

    String unit() {
        return unit;
    }

    String meaning() {
        return meaning;
    }

    /** Whether it only rises. */
    boolean counts() {
        return exposedName.endsWith(COUNTS);
    }

    void of(PipelineStatus status, Out out) {
        values.of(status, out);
    }
}
