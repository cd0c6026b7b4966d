package io.tidegate.connector.postgres;

import io.tidegate.connector.postgres.config.ConnectionUrl;
import io.tidegate.connector.postgres.config.PostgresSettings;
import io.tidegate.connector.postgres.discover.PostgresDiscovery;
import io.tidegate.spi.Discovery;
import io.tidegate.spi.Setting;
import io.tidegate.spi.Settings;
import io.tidegate.spi.Source;
import io.tidegate.spi.SourceConnector;
import java.util.List;

/** Reads tables of PostgreSQL 14 to 18: a snapshot by COPY, then the log by logical replication. */
public final class PostgresConnector implements SourceConnector {

    @Override
    public String name() {
        return "postgres";
    }

    @Override
    public List<Setting<?>> settings() {
        return PostgresSettings.all();
    }

    @Override
    public Source create(Settings settings) {
        return new PostgresSource(PostgresSettings.read(settings));
    }

    @Override
    public List<String> urlPrefixes() {
        return ConnectionUrl.SCHEMES;
    }

    @Override
    public Discovery discover(Discovery.Request request) {
        return PostgresDiscovery.of(request);
    }
}
