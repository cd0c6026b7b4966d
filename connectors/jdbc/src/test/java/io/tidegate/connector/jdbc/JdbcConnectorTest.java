package io.tidegate.connector.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidegate.spi.TableSchema;
import io.tidegate.testkit.settings.MapSettings;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class JdbcConnectorTest {

    private static JdbcConfig config(Map<String, String> values) {
        MapSettings settings = new MapSettings(values);
        JdbcConfig config = JdbcConnector.config(settings);
        assertThat(settings.invalid()).isEmpty();
        return config;
    }

    private static List<String> invalid(Map<String, String> values) {
        MapSettings settings = new MapSettings(values);
        JdbcConnector.config(settings);
        return settings.invalid();
    }

    @Test
    void theDefaultsAreTheseAndNothingIsMadeUnasked() {
        JdbcConfig config = config(Map.of("url", "postgresql://u:p%40ss@db:5433/shop"));
        assertThat(config.login().url().display()).isEqualTo("db:5433/shop");
        assertThat(config.login().user()).isEqualTo("u");
        assertThat(config.login().password()).isNotNull();
        assertThat(config.login().password().reveal()).isEqualTo("p@ss");
        assertThat(config.login().tlsMode()).isEqualTo("prefer");
        assertThat(config.mode()).isEqualTo(JdbcConfig.Mode.UPSERT);
        assertThat(config.createTables()).isFalse();
        assertThat(config.evolve()).isFalse();
        assertThat(config.truncates()).isEqualTo(JdbcConfig.Truncates.APPLY);
        assertThat(config.positionTable()).isEqualTo(new TableName("", "tidegate_position"));
        assertThat(config.lockTimeout()).isEqualTo(Duration.ofSeconds(60));
        TableSchema table = Changes.table("t", 0, "v text");
        assertThat(config.names().of(table)).isEqualTo(new TableName("public", "t"));
    }

    @Test
    void aSchemaThatIsCalledAsAWordOfATemplateIsNotFilledAgain() {
        TableSchema table = new TableSchema("{table}", "t", List.of(), List.of(), 1);
        assertThat(new JdbcConfig.Names("x_{schema}", "{schema}{table}").of(table))
                .isEqualTo(new TableName("x_{table}", "{table}t"));
    }

    @Test
    void wrongSettingsAreNamedAndNoPartOfAUrlIsRepeated() {
        for (String url : List.of(
                "mysql://u:hidden@h/d",
                "postgresql://u:hidden@h",
                "postgresql://u:hid?den@h/d",
                "postgresql://u:hidden@/d",
                "postgresql://u:hidden%zz@h/d",
                "postgresql://u:hidden/x@h/d")) {
            assertThat(invalid(Map.of("url", url))).as(url).hasSize(1).noneMatch(text -> text.contains("hid"));
        }
        String url = "postgresql://u@h/d";
        assertThat(invalid(Map.of("url", url, "user", "v")))
                .singleElement()
                .asString()
                .contains("user");
        assertThat(invalid(Map.of("url", url, "names.table", "{tabel}"))).hasSize(1);
        assertThat(invalid(Map.of("url", url, "position_table", ".x"))).hasSize(1);
        assertThat(invalid(Map.of("url", url, "tls.mode", "verify-full"))).hasSize(1);
        assertThat(invalid(Map.of("url", url, "tls.mode", "require", "tls.ca", "ca.pem")))
                .hasSize(1);
        assertThat(invalid(Map.of("url", "mariadb://u@h/d", "tls.mode", "prefer")))
                .hasSize(1);
    }

    /** The driver's own log repeats the server's messages, and these repeat values. */
    @Test
    void theDriversOwnLogIsOffBeforeItIsLoaded() {
        assertThat(new JdbcConnector().name()).isEqualTo("jdbc");
        assertThat(System.getProperty("mariadb.logging.disable")).isEqualTo("true");
    }

    @Test
    void aConfigurationPrintsNoPassword() {
        assertThat(config(Map.of("url", "mariadb://u:hidden@h/d")).toString()).doesNotContain("hidden");
    }
}
