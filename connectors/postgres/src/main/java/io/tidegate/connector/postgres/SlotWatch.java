package io.tidegate.connector.postgres;

import io.tidegate.connector.postgres.birth.BirthRecord;
import io.tidegate.connector.postgres.birth.ColumnChanges;
import io.tidegate.connector.postgres.birth.Continuity;
import io.tidegate.connector.postgres.birth.TableChanges;
import io.tidegate.connector.postgres.config.PostgresConfig;
import io.tidegate.connector.postgres.server.Relation;
import io.tidegate.connector.postgres.server.Slot;
import io.tidegate.connector.postgres.server.SqlSession;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.Finding;
import io.tidegate.spi.SourceContext;
import io.tidegate.spi.TidegateException;
import java.lang.System.Logger;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Looks at the slot each second, and at what positions depend on when a session starts and each minute. Belongs to the
 * session's thread.
 */
final class SlotWatch {

    static final Duration ANSWER_MAX = Duration.ofSeconds(4);

    private static final Logger LOG = System.getLogger(SlotWatch.class.getName());
    private static final Duration CATALOGUE_EVERY = Duration.ofMinutes(1);
    private static final List<String> WAL_STATUS = List.of("reserved", "extended", "unreserved", "lost");

    private final PostgresConfig config;
    private final SourceContext context;
    private final Set<Long> warned = new HashSet<>();
    private final Set<String> warnedOfRows = new HashSet<>();
    private long catalogueDue;

    SlotWatch(PostgresConfig config, SourceContext context) {
        this.config = config;
        this.context = context;
        this.catalogueDue = context.nanoTime();
    }

    void look(SqlSession control, Continuity continuity, BirthRecord record, Map<Long, Finding> refused) {
        Optional<Slot> slot = Slot.find(control, config.slot());
        if (slot.isEmpty()) {
            throw lost("is gone");
        }
        slot.get().unusable(config.server().database()).ifPresent(why -> {
            throw lost(why);
        });
        context.measured("retained_bytes", (double) slot.get().retainedBytes());
        context.measured(
                "slot_wal_status", WAL_STATUS.indexOf(String.valueOf(slot.get().walStatus())));
        long now = context.nanoTime();
        if (now - catalogueDue >= 0) {
            continuity.publication(control, record);
            tables(control, record, refused);
            for (String warning : ColumnChanges.warnings(control, record)) {
                if (warnedOfRows.add(warning)) {
                    LOG.log(Logger.Level.WARNING, "pipeline {0}: {1}", context.pipeline(), warning);
                }
            }
            warnOfLimits(control, slot.get());
            catalogueDue = now + CATALOGUE_EVERY.toNanos();
        }
    }

    /**
     * What the server may still take from the slot: it gives one up that holds too much log, or, from 18 on, that nobody read
     * for too long, as while a snapshot is taken. Said when a third of the room is left, so that there is time.
     */
    private void warnOfLimits(SqlSession control, Slot slot) {
        Limits limits = control.one(
                "SELECT coalesce(safe_wal_size, -1), current_setting('max_slot_wal_keep_size'),"
                        + " pg_size_bytes(current_setting('max_slot_wal_keep_size')),"
                        + " coalesce(current_setting('idle_replication_slot_timeout', true), '0')"
                        + " FROM pg_replication_slots WHERE slot_name = ?",
                row -> new Limits(row.getLong(1), row.getString(2), row.getLong(3), row.getString(4)),
                config.slot());
        if (limits.roomBytes() >= 0) {
            context.measured("slot_room_bytes", (double) limits.roomBytes());
        }
        if (limits.keepBytes() >= 0) {
            context.measured("slot_limit_bytes", (double) limits.keepBytes());
        }
        if (limits.isShort(slot.retainedBytes())) {
            LOG.log(
                    Logger.Level.WARNING,
                    "pipeline {0}: slot {1} holds {2} MiB of log, and after {3} MiB more the server gives it up"
                            + " (max_slot_wal_keep_size = {4}): raise the setting, or see what holds the pipeline up",
                    context.pipeline(),
                    config.slot(),
                    slot.retainedBytes() >> 20,
                    limits.roomBytes() >> 20,
                    limits.keepSize());
        }
        if (!slot.active() && !limits.idleTimeout().equals("0")) {
            LOG.log(
                    Logger.Level.WARNING,
                    "pipeline {0}: nobody reads slot {1} while the snapshot is taken, and the server gives slots up after"
                            + " {2} (idle_replication_slot_timeout)",
                    context.pipeline(),
                    config.slot(),
                    limits.idleTimeout());
        }
    }

    /**
     * The server's limits of a slot.
     *
     * @param roomBytes log that can still be written before the slot is given up; negative: no limit
     * @param keepSize the setting that limits it, as the server shows it
     * @param keepBytes the same in bytes; negative: no limit
     */
    record Limits(long roomBytes, String keepSize, long keepBytes, String idleTimeout) {
        boolean isShort(long retainedBytes) {
            return roomBytes >= 0 && roomBytes < retainedBytes / 2;
        }
    }

    /** What became of the tables; of those that are not captured once in a session each, the measure goes on saying it. */
    private void tables(SqlSession control, BirthRecord record, Map<Long, Finding> refused) {
        TableChanges changes = TableChanges.look(config, control, record, refused);
        if (changes.any()) {
            throw new TidegateException(ErrorCode.TABLES_CHANGED, changes.news());
        }
        for (Relation table : changes.notCaptured()) {
            if (warned.add(table.oid())) {
                LOG.log(
                        Logger.Level.WARNING,
                        "pipeline {0}: table {1} {2}: {3}",
                        context.pipeline(),
                        table.display(),
                        TableChanges.NOT_CAPTURED,
                        TableChanges.NOT_CAPTURED_CURE);
            }
        }
        context.problems(changes.standing());
        context.measured("tables_not_captured", changes.notCaptured().size());
    }

    private TidegateException lost(String why) {
        return new TidegateException(ErrorCode.POSITION_LOST, "the replication slot " + config.slot() + " " + why);
    }

    /** Whether the server refused a connection only because it has too many. */
    static boolean full(TidegateException e) {
        return e.getCause() instanceof SQLException cause && "53300".equals(cause.getSQLState());
    }

    /** A duration as SHOW prints it: {@code 0}, {@code 500ms}, {@code 1min}. */
    static Duration shown(String text) {
        Map<String, Long> units = Map.of("ms", 1L, "s", 1000L, "min", 60_000L, "h", 3_600_000L, "d", 86_400_000L);
        String digits = text.replaceAll("[^0-9]", "");
        Long unit = units.get(text.substring(digits.length()));
        if (digits.isEmpty() || (unit == null && !text.equals(digits))) {
            throw new TidegateException(ErrorCode.INTERNAL, "not a duration of the server's: " + text);
        }
        return Duration.ofMillis(Long.parseLong(digits) * (unit == null ? 1 : unit));
    }
}
