package io.tidegate.connector.postgres.birth;

import io.tidegate.connector.postgres.server.SqlSession;

/**
 * What the preflight asks about a server.
 *
 * @param version the major one
 * @param standby it is in recovery
 * @param walLevel as the setting {@code wal_level} says
 * @param senderTimeoutMillis {@code wal_sender_timeout}; 0: none
 * @param synchronousStandbys {@code synchronous_standby_names}
 * @param slots {@code max_replication_slots}, and how many there are
 * @param senders {@code max_wal_senders}, and how many run
 */
record ServerFacts(
        int version,
        boolean standby,
        String walLevel,
        int senderTimeoutMillis,
        String synchronousStandbys,
        Limited slots,
        Limited senders) {

    private static final int VERSION_FACTOR = 10_000;

    /** Something that there is only so much of. */
    record Limited(int limit, int used) {}

    static ServerFacts read(SqlSession control) {
        return new ServerFacts(
                number(control, "server_version_num") / VERSION_FACTOR,
                control.one("SELECT pg_is_in_recovery()", row -> row.getBoolean(1)),
                setting(control, "wal_level"),
                number(control, "wal_sender_timeout"),
                setting(control, "synchronous_standby_names"),
                new Limited(
                        number(control, "max_replication_slots"),
                        count(control, "SELECT count(*) FROM pg_replication_slots")),
                new Limited(
                        number(control, "max_wal_senders"),
                        count(control, "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'walsender'")));
    }

    private static int count(SqlSession control, String sql) {
        return control.one(sql, row -> row.getInt(1));
    }

    private static int number(SqlSession control, String name) {
        return Integer.parseInt(setting(control, name));
    }

    private static String setting(SqlSession control, String name) {
        return control.one("SELECT setting FROM pg_settings WHERE name = ?", row -> row.getString(1), name);
    }
}
