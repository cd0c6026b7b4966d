package io.tidegate.server.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tidegate.connector.postgres.config.ConnectionUrl;
import io.tidegate.connector.postgres.config.ServerConfig;
import io.tidegate.connector.postgres.config.TlsConfig;
import io.tidegate.connector.postgres.server.Connections;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.Secret;
import io.tidegate.spi.TidegateException;
import io.tidegate.testkit.postgres.PostgresServer;
import io.tidegate.testkit.tls.TestAuthority;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Case pg-tls-setting-silently-ignored: what was asked for holds for every connection, or there is none. */
class TlsIT {

    private static final TestAuthority OURS = TestAuthority.create("ours");
    private static final TestAuthority OTHER = TestAuthority.create("other");
    private static final String PASSWORD = "p@:s/w%r#d?&'\"\\ \u00f6\u20ac{}[]";
    private static PostgresServer server;

    @TempDir
    Path folder;

    private Path ca;
    private Path otherCa;

    @BeforeAll
    static void startServer() throws Exception {
        server = PostgresServer.version(17)
                .ssl(OURS)
                .setting("listen_addresses", "127.0.0.1,127.0.0.2")
                .setting("ssl_ca_file", "clients.crt")
                .setting("log_connections", "on")
                .hba(
                        "hostssl all by_certificate 127.0.0.0/8 cert",
                        "host all cdc 127.0.0.0/8 scram-sha-256",
                        "host all cdc2 127.0.0.0/8 scram-sha-256")
                .build();
        Path clients = server.data().resolve("clients.crt");
        Files.writeString(clients, OURS.certificatePem());
        server.start();
        server.execute(
                "CREATE ROLE cdc LOGIN REPLICATION PASSWORD '" + PASSWORD.replace("'", "''") + "'",
                "CREATE ROLE by_certificate LOGIN REPLICATION",
                "CREATE DATABASE app OWNER cdc");
        server.executeIn(
                "app",
                "CREATE TABLE t (id int PRIMARY KEY, v text)",
                "ALTER TABLE t OWNER TO cdc",
                "INSERT INTO t SELECT g, repeat('x', 500) FROM generate_series(1, 1000) g");
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @BeforeEach
    void writeCertificates() throws Exception {
        ca = Files.writeString(folder.resolve("ca.pem"), OURS.certificatePem());
        otherCa = Files.writeString(folder.resolve("other.pem"), OTHER.certificatePem());
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    private static String url(String host, int port, String parameters) {
        return "url: \"postgresql://cdc:" + encoded(PASSWORD) + "@" + host + ":" + port + "/app?" + parameters + "\"";
    }

    private Rig rig(String host, int port, String mode, Path trusted) throws Exception {
        return new Rig(
                folder,
                server,
                "app",
                url(host, port, "sslmode=" + mode),
                "tables: [public.t]",
                mode.startsWith("verify") ? "tls: {ca: " + trusted + "}" : "snapshot: initial");
    }

    @ParameterizedTest
    @ValueSource(strings = {"require", "verify-ca", "verify-full"})
    void encryptsEveryConnection(String mode) throws Exception {
        int before = server.log().length();
        try (Rig rig = rig("127.0.0.1", server.port(), mode, ca)) {
            rig.startAndRead();
            rig.sql("INSERT INTO t VALUES (" + (2000 + mode.length()) + ")");
            rig.awaitDurable("c t " + (2000 + mode.length()));
        }
        List<String> opened = server.log()
                .substring(before)
                .lines()
                .filter(line -> line.contains("connection authorized: user=cdc "))
                .toList();
        assertThat(opened)
                .as("control, holder and chunks, and the slots' connections")
                .hasSizeGreaterThan(4)
                .anyMatch(line -> line.contains("replication connection"))
                .anyMatch(line -> !line.contains("replication connection"))
                .allMatch(line -> line.contains("SSL enabled"));
    }

    @Test
    void readsEncryptedRecordsThatComeInPieces() throws Exception {
        try (Proxy proxy = new Proxy(server.port());
                Rig rig = rig("127.0.0.1", proxy.port(), "verify-full", ca)) {
            rig.startAndRead();
            rig.await("the snapshot", () -> rig.sink.size() >= 1000 && rig.walsender() != 0);
            proxy.trickle();
            rig.sql("INSERT INTO t SELECT g, repeat('y', 600) FROM generate_series(10001, 11500) g");
            rig.awaitDurable("c t 11500");
            assertThat(rig.status().sessions()).isEqualTo(1);
            rig.sql("DELETE FROM t WHERE id > 10000");
        }
    }

    @Test
    void refusesAServerOfAnotherAuthorityAndSaysWhy() throws Exception {
        try (Rig rig = rig("127.0.0.1", server.port(), "verify-ca", otherCa)) {
            rig.start();
            assertThat(rig.failure(ErrorCode.TLS).getMessage()).contains("certif", "127.0.0.1");
        }
    }

    @Test
    void refusesAServerOfAnotherNameAndSaysWhy() throws Exception {
        try (Rig rig = rig("127.0.0.2", server.port(), "verify-full", ca);
                Rig lax = rig("127.0.0.2", server.port(), "verify-ca", ca)) {
            rig.start();
            assertThat(rig.failure(ErrorCode.TLS).getMessage()).contains("127.0.0.2", "host");
            lax.start();
            lax.await("a connection that need not bear the name", () -> lax.sink.size() > 0);
        }
    }

    private static ServerConfig config(String host, TlsConfig tls, String user, @Nullable String password) {
        return new ServerConfig(
                List.of(new ConnectionUrl.Host(host, server.port())),
                "app",
                user,
                password == null ? null : new Secret(password),
                "tls test",
                Duration.ofSeconds(10),
                tls,
                Map.of());
    }

    private static void refused(ServerConfig config, ErrorCode code, String reason) {
        List<Function<Connections, AutoCloseable>> kinds =
                List.of(Connections::control, Connections::replication, c -> c.patient("reading"));
        for (Function<Connections, AutoCloseable> kind : kinds) {
            try (Connections connections = new Connections(config)) {
                assertThatThrownBy(() -> kind.apply(connections)).isInstanceOfSatisfying(TidegateException.class, e -> {
                    assertThat(e.code()).as(e.describe()).isEqualTo(code);
                    assertThat(e.getMessage()).containsIgnoringCase(reason);
                    assertThat(e.describe()).doesNotContain(PASSWORD, "wrong secret");
                });
            }
        }
    }

    @Test
    void refusesOnEachKindOfConnectionAlike() {
        TlsConfig wrongCa = new TlsConfig(TlsConfig.Mode.VERIFY_FULL, otherCa, null, null, null);
        TlsConfig right = new TlsConfig(TlsConfig.Mode.VERIFY_FULL, ca, null, null, null);
        refused(config("127.0.0.1", wrongCa, "cdc", PASSWORD), ErrorCode.TLS, "certif");
        refused(config("127.0.0.2", right, "cdc", PASSWORD), ErrorCode.TLS, "127.0.0.2");
        refused(config("127.0.0.1", right, "cdc", "wrong secret"), ErrorCode.AUTHENTICATION, "cdc");
        refused(config("127.0.0.1", right, "nobody_here", "wrong secret"), ErrorCode.AUTHENTICATION, "nobody_here");
        refused(config("127.0.0.1", right, "by_certificate", null), ErrorCode.AUTHENTICATION, "certif");
    }

    @Test
    void logsInWithAClientCertificate() throws Exception {
        TestAuthority.Identity identity = OURS.issue("by_certificate");
        Path cert = Files.writeString(folder.resolve("client.crt"), identity.certificatePem());
        for (String name : List.of("client.pem", "client.key")) {
            Path key = Files.writeString(folder.resolve(name), identity.keyPem());
            TlsConfig open = new TlsConfig(TlsConfig.Mode.VERIFY_FULL, ca, cert, key, null);
            Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-rw-rw-"));
            refused(config("127.0.0.1", open, "by_certificate", null), ErrorCode.TLS, "permissions");
            Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-------"));
            TlsConfig tls = new TlsConfig(TlsConfig.Mode.VERIFY_FULL, ca, cert, key, null);
            try (Connections connections = new Connections(config("127.0.0.1", tls, "by_certificate", null))) {
                connections.control().close();
                connections.replication().close();
            }
        }
    }

    @Test
    void neverPrintsAPasswordThatIsWrong() throws Exception {
        try (Rig rig = new Rig(
                folder,
                server,
                "app",
                "url: postgresql://cdc@127.0.0.1:" + server.port() + "/app?sslmode=require",
                "password: 'wrong secret'",
                "tables: [public.t]")) {
            rig.start();
            TidegateException failure = rig.failure(ErrorCode.AUTHENTICATION);
            assertThat(failure.code().exitStatus()).isEqualTo(3);
            for (Throwable t = failure; t != null; t = t.getCause()) {
                assertThat(t.toString()).doesNotContain("wrong secret");
            }
        }
    }
}
