package io.tidegate.connector.postgres.birth;

import io.tidegate.connector.postgres.config.PostgresConfig;
import io.tidegate.connector.postgres.config.PostgresConfig.SnapshotMode;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.Finding;
import java.util.List;

/** The part of the preflight that is about the server itself: version, role in replication, limits. */
final class ServerChecks {

    private static final int OLDEST = 14;
    private static final int NEWEST = 18;
    private static final int TIMEOUT_MILLIS_MIN = 5_000;

    private ServerChecks() {}

    /** @param begun the pipeline has a state: its slot is there, or is being made */
    static void add(List<Finding> findings, PostgresConfig config, ServerFacts server, boolean begun) {
        version(findings, server.version());
        if (server.standby()) {
            findings.add(Finding.error(
                    ErrorCode.PREFLIGHT,
                    config.server().display(),
                    "is a standby; reading from a standby is not supported",
                    "name the primary in 'url'"));
        }
        if (!server.walLevel().equals("logical")) {
            findings.add(Finding.error(
                    ErrorCode.PREFLIGHT,
                    "wal_level",
                    "is " + server.walLevel() + "; changes of rows are in the log with 'logical' only",
                    "ALTER SYSTEM SET wal_level = 'logical'; then restart the server"));
        }
        limits(findings, config, server, begun);
        senderTimeout(findings, server.senderTimeoutMillis());
        String names = server.synchronousStandbys();
        if (matches(names, config.server().applicationName())) {
            findings.add(Finding.error(
                    ErrorCode.SYNCHRONOUS_STANDBY,
                    "synchronous_standby_names",
                    "'" + names + "' names our application_name '"
                            + config.server().applicationName() + "': each commit of the application would wait for us",
                    "name the standbys in it, or choose another application_name"));
        }
    }

    private static void senderTimeout(List<Finding> findings, int millis) {
        String cure = "ALTER SYSTEM SET wal_sender_timeout = '60s'; SELECT pg_reload_conf();";
        if (millis == 0) {
            findings.add(Finding.warning(
                    ErrorCode.PREFLIGHT,
                    "wal_sender_timeout",
                    "is 0: the server never notices that a reader is gone, and keeps its slot in use",
                    cure));
        } else if (millis < TIMEOUT_MILLIS_MIN) {
            findings.add(Finding.warning(
                    ErrorCode.PREFLIGHT,
                    "wal_sender_timeout",
                    "is " + millis + " ms: short pauses end the connection",
                    cure));
        }
    }

    private static void version(List<Finding> findings, int version) {
        if (version < OLDEST) {
            findings.add(Finding.error(
                    ErrorCode.PREFLIGHT, "server", "is PostgreSQL " + version + "; 14 is the oldest that is read", ""));
        } else if (version > NEWEST) {
            findings.add(Finding.error(
                    ErrorCode.PREFLIGHT,
                    "server",
                    "is PostgreSQL " + version + "; 18 is the newest that is known",
                    ""));
        }
    }

    /** One slot for the log, one for the snapshot while it is taken; a walsender for each. */
    private static void limits(List<Finding> findings, PostgresConfig config, ServerFacts server, boolean begun) {
        boolean log = config.snapshot() != SnapshotMode.ONLY;
        boolean snapshot = config.snapshot() != SnapshotMode.NONE;
        int slots = (log && !begun && !config.slotAdopt() ? 1 : 0) + (snapshot && !begun ? 1 : 0);
        limit(findings, "max_replication_slots", server.slots(), slots);
        int senders = begun ? 0 : snapshot && log ? 2 : 1;
        limit(findings, "max_wal_senders", server.senders(), senders);
    }

    private static void limit(List<Finding> findings, String setting, ServerFacts.Limited limited, int needed) {
        if (limited.limit() - limited.used() < needed) {
            findings.add(Finding.error(
                    ErrorCode.PREFLIGHT,
                    setting,
                    "is " + limited.limit() + ", of which " + limited.used() + " are used; " + needed
                            + " more are needed",
                    "ALTER SYSTEM SET " + setting + " = " + (limited.used() + needed + 2)
                            + "; then restart the server"));
        }
    }

    /** Whether a list of standbys, with or without FIRST or ANY, names an application; names match in any case. */
    static boolean matches(String standbys, String application) {
        StringBuilder name = new StringBuilder();
        boolean quoted = false;
        for (int i = 0; i <= standbys.length(); i++) {
            char c = i < standbys.length() ? standbys.charAt(i) : ',';
            if (c == '"') {
                quoted = !quoted;
            } else if (quoted || Character.isLetterOrDigit(c) || "_$*".indexOf(c) >= 0) {
                name.append(c);
            } else {
                String one = name.toString();
                if (one.equals("*") || (!one.isEmpty() && one.equalsIgnoreCase(application))) {
                    return true;
                }
                name.setLength(0);
            }
        }
        return false;
    }
}
