package io.tidegate.connector.postgres;

import io.tidegate.connector.postgres.birth.BirthRecord;
import io.tidegate.connector.postgres.birth.Preflight;
import io.tidegate.connector.postgres.config.PostgresConfig;
import io.tidegate.connector.postgres.config.PostgresSettings;
import io.tidegate.connector.postgres.position.LsnPositions;
import io.tidegate.connector.postgres.server.Connections;
import io.tidegate.connector.postgres.server.SqlSession;
import io.tidegate.spi.Checkpoint;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.Finding;
import io.tidegate.spi.Place;
import io.tidegate.spi.Positions;
import io.tidegate.spi.Replan;
import io.tidegate.spi.Source;
import io.tidegate.spi.SourceContext;
import io.tidegate.spi.SourceSession;
import io.tidegate.spi.TidegateException;
import java.util.List;

/** One configured PostgreSQL source. */
final class PostgresSource implements Source {

    private final PostgresConfig config;

    PostgresSource(PostgresConfig config) {
        this.config = config;
    }

    @Override
    public String system() {
        return "postgres";
    }

    @Override
    public Positions positions() {
        return new LsnPositions();
    }

    @Override
    public boolean readsFrom(Place place) {
        if (!place.system().equals(system())
                || !place.database().equals(config.server().database())) {
            return false;
        }
        try (Connections connections = new Connections(config.server());
                SqlSession control = connections.control()) {
            return control.one(
                    "SELECT system_identifier::text = ? FROM pg_control_system()",
                    row -> row.getBoolean(1),
                    place.server());
        }
    }

    @Override
    public boolean captures(String namespace, String table) {
        return config.tables().stream().anyMatch(pattern -> pattern.matches(namespace, table));
    }

    @Override
    public List<Finding> check(Checkpoint durable) {
        try (Connections connections = new Connections(config.server());
                SqlSession control = connections.control()) {
            return Preflight.run(config, connections, control, durable);
        } catch (TidegateException e) {
            ErrorCode code = e.code();
            return List.of(Finding.error(code, config.server().display(), String.valueOf(e.getMessage()), e.advice()));
        }
    }

    @Override
    public SourceSession open(SourceContext context) {
        return PostgresSession.open(config, context);
    }

    @Override
    public Replan resnapshot(Checkpoint durable, List<String> tables) {
        if (config.snapshot() == PostgresConfig.SnapshotMode.ONLY) {
            throw new TidegateException(
                    ErrorCode.CONFIG_INVALID,
                    "with 'snapshot: only' there is no log that single tables could join",
                    "Run 'tidegate state reset FILE' and start again: all tables are read.",
                    null);
        }
        return Replan.record(new BirthRecord(durable.source())
                .again(PostgresSettings.patterns(tables))
                .source());
    }

    @Override
    public Removal removal(Checkpoint durable) {
        return PostgresRemoval.open(config, new BirthRecord(durable.source()));
    }
}
