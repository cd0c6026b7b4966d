package io.tidegate.connector.postgres.wire;

import java.util.List;

/**
 * The settings on which the text of values and the sight of notices depend (rule 15). Every session that reads rows,
 * types or the log pins all of them, whatever role and database say.
 */
public final class SessionSettings {

    private SessionSettings() {}

    /** One SET statement each; works in replication sessions as well. */
    public static List<String> statements() {
        return List.of(
                "SET datestyle = 'ISO, YMD'",
                "SET intervalstyle = 'iso_8601'",
                "SET bytea_output = 'hex'",
                "SET extra_float_digits = 1",
                "SET timezone = 'UTC'",
                "SET lc_monetary = 'C'",
                "SET search_path = ''",
                "SET client_min_messages = 'warning'",
                "SET client_encoding = 'UTF8'",
                "SET xmloption = 'content'",
                "SET quote_all_identifiers = off");
    }
}
