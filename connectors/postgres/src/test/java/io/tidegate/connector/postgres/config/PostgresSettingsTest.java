package io.tidegate.connector.postgres.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tidegate.connector.postgres.config.PostgresConfig.SnapshotMode;
import io.tidegate.spi.Secret;
import io.tidegate.spi.Setting;
import io.tidegate.testkit.settings.MapSettings;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PostgresSettingsTest {

    private static MapSettings settings(String url, String... more) {
        Map<String, String> values = new TreeMap<>(Map.of("url", url, "tables", "public.*"));
        for (int i = 0; i < more.length; i += 2) {
            values.put(more[i], more[i + 1]);
        }
        return new MapSettings(values);
    }

    @Test
    void aUrlAndTablesAreEnough() {
        MapSettings settings = settings("postgresql://cdc@db/app");
        PostgresConfig config = PostgresSettings.read(settings);
        assertThat(settings.invalid()).isEmpty();
        assertThat(config.slot()).isEqualTo("tidegate_shop");
        assertThat(config.publication()).isEqualTo("tidegate_shop");
        assertThat(config.create()).isTrue();
        assertThat(config.slotAdopt()).isFalse();
        assertThat(config.acceptPartial()).isFalse();
        assertThat(config.snapshot()).isEqualTo(SnapshotMode.INITIAL);
        assertThat(config.readersMax()).isEqualTo(2);
        assertThat(config.chunkBytes()).isEqualTo(256L << 20);
        assertThat(config.maxRowBytes()).isEqualTo(80 << 20);
        assertThat(config.messages()).isEmpty();
        assertThat(config.server().hosts()).containsExactly(new ConnectionUrl.Host("db", 5432));
        assertThat(config.server().applicationName()).isEqualTo("tidegate shop");
        assertThat(config.server().tls().mode()).isEqualTo(TlsConfig.Mode.PREFER);
    }

    @Test
    void everyKeyHasItsOwnNameAndSaysWhatItIs() {
        assertThat(PostgresSettings.all().stream().map(Setting::key))
                .doesNotHaveDuplicates()
                .contains("url", "tables", "slot.name", "slot.adopt", "create", "tls.mode");
        assertThat(PostgresSettings.all()).allSatisfy(s -> assertThat(s.doc()).endsWith("."));
    }

    @Test
    void messagesAreAskedForByPatternsOverTheirWholePrefix() {
        PostgresConfig config =
                PostgresSettings.read(settings("postgresql://u@h/d", "messages", "job pre* a.?  x\\E(1)"));
        assertThat(java.util.stream.Stream.of("job", "pre", "prefix\nx", "a.😀", "", "x\\E(1)"))
                .allMatch(config::asksFor);
        assertThat(java.util.stream.Stream.of("jobs", "Job", "a job", "xpre", "axb", "a.bc", "x"))
                .noneMatch(config::asksFor);
        assertThat(PostgresSettings.read(settings("postgresql://u@h/d")).asksFor(""))
                .isFalse();
        assertThat(invalid("postgresql://u@h/d", "messages", "a", "snapshot", "only"))
                .anyMatch(m -> m.startsWith("messages: ") && m.contains("snapshot: only"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "postgresql://u:p%40ss%2Fw%3Ard@h:6432/db",
                "postgres://u:p@ss%2Fw:rd@h:6432/db",
                "jdbc:postgresql://h:6432/db?user=u&password=p%40ss%2Fw%3Ard"
            })
    void readsEverySpellingOfAUrl(String url) throws Exception {
        ConnectionUrl read = ConnectionUrl.parse(url);
        assertThat(read.hosts()).containsExactly(new ConnectionUrl.Host("h", 6432));
        assertThat(read.user()).isEqualTo("u");
        assertThat(read.database()).isEqualTo("db");
        assertThat(read.password()).isEqualTo(new Secret("p@ss/w:rd"));
    }

    @Test
    void readsAddressesInBracketsAndSeveralHosts() throws Exception {
        assertThat(ConnectionUrl.parse("postgresql://u@[::1]:5433,b/db").hosts())
                .containsExactly(new ConnectionUrl.Host("::1", 5433), new ConnectionUrl.Host("b", 5432));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "mysql://u:hunter2@h/db",
                "postgresql://u:hunter2/x@h/db",
                "postgresql://u:hunter2?x/@h/db",
                "postgresql://u:hunter2%@h/db",
                "postgresql://u:hunter2%zz@h/db",
                "postgresql://u:hunter2@:5432/db",
                "postgresql://u:x@h/db?password=hunter2",
                "postgresql://u@h/db?hunter2",
                "postgresql://u@h/db?hunter2-x=1"
            })
    void aUrlThatCannotBeReadIsNeverRepeated(String url) {
        MapSettings settings = settings(url);
        PostgresSettings.read(settings);
        assertThat(settings.invalid()).isNotEmpty();
        assertThat(settings.invalid().toString()).doesNotContain("hunter2");
    }

    @Test
    void namesTheNearestParameterForOneThatIsNotKnown() {
        MapSettings settings = settings("postgresql://u@h/db?ssl_mode=require");
        PostgresSettings.read(settings);
        assertThat(settings.invalid()).hasSize(2);
        assertThat(settings.invalid().get(0)).contains("'ssl_mode'", "did you mean 'sslmode'");
    }

    @Test
    void tlsIsReadFromBothPlacesAndNeverSilentlyOff() {
        TlsConfig tls = PostgresSettings.read(
                        settings("postgres://cdc@db:5432/app?sslmode=verify-full", "tls.ca", "ca.pem"))
                .server()
                .tls();
        assertThat(tls.mode()).isEqualTo(TlsConfig.Mode.VERIFY_FULL);
        assertThat(tls.ca()).isEqualTo(Path.of("/etc/tidegate/ca.pem"));
        assertThat(PostgresSettings.read(settings("postgres://cdc@db/app", "tls.ca", "/ca.pem"))
                        .server()
                        .tls()
                        .mode())
                .isEqualTo(TlsConfig.Mode.VERIFY_FULL);
    }

    @Test
    void contradictionsAreErrors() {
        assertThat(invalid("postgres://u@h/d?sslmode=require", "tls.ca", "/ca.pem"))
                .anyMatch(m -> m.contains("does not verify"));
        assertThat(invalid("postgres://u@h/d?sslmode=require", "tls.mode", "disable"))
                .anyMatch(m -> m.contains("says something else"));
        assertThat(invalid("postgres://u@h/d?sslmode=verify-full")).anyMatch(m -> m.contains("needs a CA file"));
        assertThat(invalid("postgres://u@h/d?sslmode=on")).anyMatch(m -> m.contains("verify-ca"));
        assertThat(invalid("postgres://u@h/d", "tls.cert", "/c.pem")).anyMatch(m -> m.contains("needs its key"));
        assertThat(invalid("postgres://u@h/d", "tls.cert", "/c.pem", "tls.key", "/k.pem"))
                .anyMatch(m -> m.contains("without encryption"));
        assertThat(invalid("postgres://u@h/d", "user", "v")).hasSize(1);
        assertThat(invalid("postgres://u:a@h/d", "password", "b")).hasSize(1);
        assertThat(invalid("postgres://h/d")).anyMatch(m -> m.startsWith("user: no user"));
        assertThat(invalid("postgres://u@h/d", "create", "false")).anyMatch(m -> m.contains("slot.adopt: true"));
        assertThat(invalid("postgres://u@h/d", "slot.name", "Slot-1")).hasSize(1);
        assertThat(invalid("postgres://u@h/d?connect_timeout=soon")).hasSize(1);
    }

    private static List<String> invalid(String url, String... more) {
        MapSettings settings = settings(url, more);
        PostgresSettings.read(settings);
        return settings.invalid();
    }

    @Test
    void patternsMatchWholeNamesAndFoldOnlyWhatIsNotQuoted() throws Exception {
        assertThat(matches("orders", "public", "orders")).isTrue();
        assertThat(matches("orders", "public", "orders2")).isFalse();
        assertThat(matches("orders", "sales", "orders")).isFalse();
        assertThat(matches("Orders", "public", "orders")).isTrue();
        assertThat(matches("\"Orders\"", "public", "orders")).isFalse();
        assertThat(matches("\"Orders\"", "public", "Orders")).isTrue();
        assertThat(matches("s.t_*", "s", "t_1")).isTrue();
        assertThat(matches("s.t?", "s", "t\n")).isTrue();
        assertThat(matches("s.\"t*\"", "s", "tx")).isFalse();
        assertThat(matches("\"My.Schema\".\"Or\"\"der né#1/2\"", "My.Schema", "Or\"der né#1/2"))
                .isTrue();
    }

    private static boolean matches(String pattern, String schema, String table) throws Exception {
        return TablePattern.parse(pattern).matches(schema, table);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ".", "a.", ".a", "a.b.c", "\"a", "a b", "a;b", "\"\"", "a-b"})
    void saysWhereAPatternIsWrong(String pattern) {
        assertThatThrownBy(() -> TablePattern.parse(pattern))
                .isInstanceOf(TablePattern.Malformed.class)
                .hasMessageMatching("(?s).*at character [0-9]+");
    }
}
