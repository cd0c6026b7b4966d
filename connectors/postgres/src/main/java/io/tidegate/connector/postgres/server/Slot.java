package io.tidegate.connector.postgres.server;

import io.tidegate.connector.postgres.position.Lsn;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.TidegateException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A replication slot, as {@code pg_replication_slots} has it.
 *
 * @param activePid the walsender that uses it, 0 if none does
 * @param user who uses it, in words
 * @param confirmed what its reader confirmed; null for a slot that is no logical one
 * @param walStatus {@code reserved}, {@code extended}, {@code unreserved} or {@code lost}
 * @param invalidation why it cannot be read any more; null if it can
 * @param retainedBytes log that the server keeps for it
 */
public record Slot(
        String name,
        @Nullable String plugin,
        @Nullable String database,
        int activePid,
        String user,
        @Nullable Lsn confirmed,
        @Nullable String walStatus,
        @Nullable String invalidation,
        long retainedBytes) {

    private static final int VERSION_16 = 160000;
    private static final int VERSION_17 = 170000;

    public static Optional<Slot> find(SqlSession control, String name) {
        int version = Publication.version(control);
        String invalidation = version >= VERSION_17
                ? "s.invalidation_reason"
                : version >= VERSION_16 ? "CASE WHEN s.conflicting THEN 'conflict with recovery' END" : "NULL";
        return control.find(
                "SELECT s.plugin, s.database, s.active_pid, coalesce(concat_ws(', ', 'pid ' || s.active_pid,"
                        + " 'application ' || a.application_name, 'host ' || coalesce(host(a.client_addr), 'local')), ''),"
                        + " s.confirmed_flush_lsn::text, s.wal_status, " + invalidation
                        + ", coalesce(pg_wal_lsn_diff(CASE WHEN pg_is_in_recovery() THEN pg_last_wal_receive_lsn()"
                        + " ELSE pg_current_wal_lsn() END, s.restart_lsn), 0)::bigint"
                        + " FROM pg_replication_slots s LEFT JOIN pg_stat_activity a ON a.pid = s.active_pid"
                        + " WHERE s.slot_name = ?",
                row -> {
                    String confirmed = row.getString(5);
                    return new Slot(
                            name,
                            row.getString(1),
                            row.getString(2),
                            row.getInt(3),
                            row.getString(4),
                            confirmed == null ? null : Lsn.parse(confirmed),
                            row.getString(6),
                            row.getString(7),
                            row.getLong(8));
                },
                name);
    }

    public boolean active() {
        return activePid != 0;
    }

    /** Whether it is one as we make them, whatever became of it. */
    public boolean isLogical(String ourDatabase) {
        return "pgoutput".equals(plugin) && ourDatabase.equals(database);
    }

    /** Why no changes can be read from it; empty if they can. */
    public Optional<String> unusable(String ourDatabase) {
        if (!"pgoutput".equals(plugin)) {
            return Optional.of("is no logical slot of the plugin pgoutput, but of " + plugin);
        }
        if (!ourDatabase.equals(database)) {
            return Optional.of("belongs to the database " + database);
        }
        if ("lost".equals(walStatus) || invalidation != null) {
            return Optional.of("was invalidated by the server"
                    + (invalidation == null ? ", which removed log that it needs" : ": " + invalidation));
        }
        return confirmed == null ? Optional.of("has no confirmed position") : Optional.empty();
    }

    public void refuseActive() {
        if (active()) {
            throw new TidegateException(ErrorCode.SLOT_ACTIVE, "the slot " + name + " is in use by " + user);
        }
    }
}
