package io.tidegate.connector.postgres.config;

import io.tidegate.connector.postgres.config.ConnectionUrl.Host;
import io.tidegate.spi.Secret;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Where the server is and how to log in.
 *
 * @param hosts in the order in which they are tried; the first that is no standby is taken if there are several
 * @param driverOptions further properties of the driver, by the driver's names
 */
public record ServerConfig(
        List<Host> hosts,
        String database,
        String user,
        @Nullable Secret password,
        String applicationName,
        Duration connectTimeout,
        TlsConfig tls,
        Map<String, String> driverOptions) {

    public ServerConfig {
        hosts = List.copyOf(hosts);
        driverOptions = Map.copyOf(driverOptions);
    }

    /** Host and port, for people. */
    public String display() {
        return hosts.stream().map(Host::toString).collect(Collectors.joining(","));
    }
}
