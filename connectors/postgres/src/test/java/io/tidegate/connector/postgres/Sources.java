package io.tidegate.connector.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tidegate.connector.postgres.config.PostgresConfig;
import io.tidegate.connector.postgres.config.PostgresSettings;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.Finding;
import io.tidegate.spi.Source;
import io.tidegate.spi.SourceSession;
import io.tidegate.spi.TidegateException;
import io.tidegate.testkit.postgres.PostgresServer;
import io.tidegate.testkit.postgres.SharedPostgres;
import io.tidegate.testkit.settings.MapSettings;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Configured sources of the pipeline {@code shop}, and what they leave in a database. */
final class Sources {

    private Sources() {}

    /** All tables of a database, in small chunks, unless more settings say something else. */
    static Source of(SharedPostgres.Database db, String... more) {
        return of("postgresql://postgres@127.0.0.1:" + db.server().port() + "/" + db.name(), "s_" + db.name(), more);
    }

    /** The same for a role. */
    static Source as(String role, SharedPostgres.Database db, String... more) {
        return of(
                "postgresql://" + role + "@127.0.0.1:" + db.server().port() + "/" + db.name(), "s_" + db.name(), more);
    }

    /** The same for a server of one's own. */
    static Source of(PostgresServer server, String... more) {
        return of("postgresql://postgres@127.0.0.1:" + server.port() + "/postgres", "s", more);
    }

    /** What {@link #of(SharedPostgres.Database, String...)} is configured with. */
    static PostgresConfig config(SharedPostgres.Database db) {
        String url = "postgresql://postgres@127.0.0.1:" + db.server().port() + "/" + db.name();
        return PostgresSettings.read(
                new MapSettings(Map.of("url", url, "tables", "*.*", "slot.name", "s_" + db.name())));
    }

    private static Source of(String url, String slot, String... more) {
        Map<String, String> settings =
                new TreeMap<>(Map.of("url", url, "tables", "*.*", "slot.name", slot, "snapshot_chunk", "1MiB"));
        for (int i = 0; i < more.length; i += 2) {
            settings.put(more[i], more[i + 1]);
        }
        MapSettings values = new MapSettings(settings);
        Source source = new PostgresConnector().create(values);
        assertThat(values.invalid()).isEmpty();
        return source;
    }

    /** Slots and publications of a database. */
    static List<String> made(SharedPostgres.Database db) throws SQLException {
        return db.query("SELECT 'slot ' || slot_name FROM pg_replication_slots WHERE database = current_database()"
                + " UNION ALL SELECT 'publication ' || pubname FROM pg_publication ORDER BY 1");
    }

    /** A pipeline that has taken its snapshot. */
    static SourceLoop born(Source source) throws Exception {
        SourceLoop loop = new SourceLoop(source);
        try (SourceSession session = loop.open()) {
            loop.prepare(session);
            loop.readSnapshot(session);
        }
        return loop;
    }

    /** A new session of it ends with this code before it is ready. */
    static void refuses(SourceLoop loop, ErrorCode code, String... parts) throws Exception {
        try (SourceSession session = loop.open()) {
            assertThatThrownBy(() -> loop.prepare(session))
                    .isInstanceOfSatisfying(
                            TidegateException.class,
                            e -> assertThat(e.code()).as(e.describe()).isEqualTo(code))
                    .hasMessageContainingAll(parts);
        }
    }

    static List<String> errors(List<Finding> findings) {
        return texts(findings, Finding.Severity.ERROR);
    }

    static List<String> warnings(List<Finding> findings) {
        return texts(findings, Finding.Severity.WARNING);
    }

    private static List<String> texts(List<Finding> findings, Finding.Severity severity) {
        return findings.stream()
                .filter(f -> f.severity() == severity)
                .map(f -> f.code().code() + " | " + f.object() + " | " + f.problem() + " | " + f.cure())
                .toList();
    }
}
