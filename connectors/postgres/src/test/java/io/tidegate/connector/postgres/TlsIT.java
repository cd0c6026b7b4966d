package io.tidegate.connector.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tidegate.spi.Checkpoint;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.Finding;
import io.tidegate.spi.Source;
import io.tidegate.spi.SourceSession;
import io.tidegate.spi.SplitReader;
import io.tidegate.spi.TidegateException;
import io.tidegate.testkit.postgres.PostgresServer;
import io.tidegate.testkit.settings.MapSettings;
import io.tidegate.testkit.tls.TestAuthority;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TlsIT {

    private static Source source(String url, String... more) {
        Map<String, String> values = new TreeMap<>(Map.of("url", url, "tables", "t"));
        for (int i = 0; i < more.length; i += 2) {
            values.put(more[i], more[i + 1]);
        }
        MapSettings settings = new MapSettings(values);
        Source source = new PostgresConnector().create(settings);
        assertThat(settings.invalid()).isEmpty();
        return source;
    }

    @Test
    void encryptsEveryConnectionAndRefusesAServerThatCannotBeVerified(@TempDir Path folder) throws Exception {
        TestAuthority ours = TestAuthority.create("ours");
        Path ca = Files.writeString(folder.resolve("ca.pem"), ours.certificatePem());
        Path other = Files.writeString(
                folder.resolve("other.pem"), TestAuthority.create("other").certificatePem());
        try (PostgresServer server = PostgresServer.version(17).ssl(ours).start()) {
            server.execute("CREATE TABLE t (id int PRIMARY KEY)");
            String end = ":" + server.port() + "/postgres?sslmode=verify-full";
            Source source = source("postgres://postgres@127.0.0.1" + end, "tls.ca", ca.toString());
            SourceLoop loop = new SourceLoop(source);
            try (SourceSession session = loop.open()) {
                loop.prepare(session);
                assertThat(encrypted(server)).hasSizeGreaterThanOrEqualTo(2).containsOnly("t");
                loop.readSnapshot(session);
                try (SplitReader log =
                        session.open(loop.log().plan(), loop.log().progress().position())) {
                    assertThat(log).isNotNull();
                    assertThat(encrypted(server)).hasSizeGreaterThanOrEqualTo(2).containsOnly("t");
                }
            }
            refused(source("postgres://postgres@127.0.0.1" + end, "tls.ca", other.toString()));
            // The same address by a name that the certificate does not carry.
            refused(source("postgres://postgres:hunter2@127.1" + end, "tls.ca", ca.toString()));
            refused(source("postgres://postgres@127.0.0.1" + end, "tls.ca", folder + "/missing.pem"));
        }
    }

    private static List<String> encrypted(PostgresServer server) throws Exception {
        return server.query("SELECT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)"
                + " WHERE application_name = 'tidegate shop'");
    }

    private static void refused(Source source) {
        assertThat(source.check(Checkpoint.EMPTY))
                .singleElement()
                .satisfies(f -> assertThat(f.severity()).isEqualTo(Finding.Severity.ERROR))
                .satisfies(f -> assertThat(f.code()).as(f.problem()).isEqualTo(ErrorCode.TLS))
                .satisfies(f -> assertThat(f.toString()).doesNotContain("hunter2"));
        SourceLoop loop = new SourceLoop(source);
        assertThatThrownBy(loop::open)
                .isInstanceOfSatisfying(
                        TidegateException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.TLS));
    }

    @Test
    void aWrongPasswordAndAServerWithoutTlsAreNamedWithoutTheSecret(@TempDir Path folder) throws Exception {
        try (PostgresServer server = PostgresServer.version(17)
                .hba("host all all 127.0.0.1/32 scram-sha-256")
                .start()) {
            server.execute("CREATE ROLE cdc LOGIN REPLICATION PASSWORD 'p@ss/w:r\"d%'");
            String place = "@127.0.0.1:" + server.port() + "/postgres";
            List<Finding> wrong = source("postgres://cdc:hunter2" + place).check(Checkpoint.EMPTY);
            assertThat(wrong)
                    .singleElement()
                    .satisfies(f -> assertThat(f.code()).isEqualTo(ErrorCode.AUTHENTICATION));
            assertThat(wrong.toString()).doesNotContain("hunter2");
            assertThat(source("postgres://cdc:hunter2" + place + "?sslmode=require")
                            .check(Checkpoint.EMPTY))
                    .singleElement()
                    .satisfies(f -> assertThat(f.code()).isEqualTo(ErrorCode.TLS));
            assertThat(source("postgres://cdc:p%40ss%2Fw:r%22d%25" + place).check(Checkpoint.EMPTY))
                    .noneMatch(f -> f.code() == ErrorCode.AUTHENTICATION)
                    .anyMatch(f -> f.object().equals("tables: t"));
        }
    }
}
