package io.tidegate.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class GivenSettingsTest {

    private static final Setting<String> HOST =
            Setting.text("host", null, "The host.").mandatory();
    private static final Setting<Secret> PASSWORD = Setting.secret("password", "The password.");
    private static final Setting<String> MODE =
            Setting.choice("mode", "calm", List.of("calm", "rough"), "The weather.");
    private static final Setting<Boolean> TLS = Setting.bool("tls.enabled", true, "Whether it is encrypted.");
    private static final Setting<Long> PORT = Setting.integer("port", 5432, 1, 65_535, "The port.");
    private static final Setting<Duration> WAIT =
            Setting.duration("wait", "10s", Duration.ofMillis(100), Duration.ofMinutes(5), "The wait.");
    private static final Setting<Long> ROW = Setting.size("row", "80MiB", 1024, 1L << 30, "The largest row.");
    private static final Setting<List<String>> TABLES = Setting.list("tables", "The tables.");
    private static final Setting<Map<String, String>> OPTIONS = Setting.map("options", "The options.");
    private static final List<Setting<?>> ALL = List.of(HOST, PASSWORD, MODE, TLS, PORT, WAIT, ROW, TABLES, OPTIONS);

    @Test
    void whatIsNotGivenHasItsDefaultOrNothing() {
        Settings settings = given(Map.of("host", "h"));

        assertThat(settings.get(MODE)).isEqualTo("calm");
        assertThat(settings.get(TLS)).isTrue();
        assertThat(settings.get(PORT)).isEqualTo(5432L);
        assertThat(settings.get(WAIT)).isEqualTo(Duration.ofSeconds(10));
        assertThat(settings.get(ROW)).isEqualTo(80L << 20);
        assertThat(settings.find(PASSWORD)).isEmpty();
        assertThat(settings.find(TABLES)).isEmpty();
        assertThat(settings.folder()).isAbsolute();
        assertThatThrownBy(() -> settings.get(TABLES)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void everyTypeIsReadAsAFileWouldHaveItAndAsJavaHasIt() {
        Settings texts = given(Map.of(
                "host", "h", "tls.enabled", "false", "port", "1", "wait", "500ms", "row", "1MiB", "mode", "rough"));
        Settings typed = given(Map.of(
                "host",
                "${env:X}",
                "password",
                new Secret("p"),
                "tls.enabled",
                false,
                "port",
                1,
                "wait",
                Duration.ofMillis(500),
                "tables",
                List.of("a", "b"),
                "options",
                Map.of("k", "v")));

        for (Settings settings : List.of(texts, typed)) {
            assertThat(settings.get(TLS)).isFalse();
            assertThat(settings.get(PORT)).isEqualTo(1L);
            assertThat(settings.get(WAIT)).isEqualTo(Duration.ofMillis(500));
        }
        assertThat(texts.get(ROW)).isEqualTo(1L << 20);
        assertThat(texts.get(MODE)).isEqualTo("rough");
        assertThat(typed.get(HOST)).isEqualTo("${env:X}");
        assertThat(typed.get(PASSWORD).reveal()).isEqualTo("p");
        assertThat(typed.get(TABLES)).containsExactly("a", "b");
        assertThat(typed.get(OPTIONS)).containsExactly(Map.entry("k", "v"));
    }

    @Test
    void whatIsWrongIsThrownAtOnceWithItsKeyAndCureAndWithoutTheValue() {
        wrong("hots", "x", "source sea: hots: is not a known key.", "Did you mean host?");
        wrong("port", "70000", "source sea: port: is too high.", "Write 65535 or less.");
        wrong("port", "s3cret", "source sea: port: must be a whole number.", "digits only");
        wrong("wait", "1", "source sea: wait: must be a duration.", "10s");
        wrong("row", 4096, "source sea: row: must be a size.", "80MiB");
        wrong("mode", "rouh", "source sea: mode: must be one of calm, rough.", "rough");
        wrong("tls.enabled", "yes", "source sea: tls.enabled: must be true or false.", "true or false");
        wrong("tables", "s3cret", "source sea: tables: must be a list of texts.", "List.of");
        wrong("tables", List.of(1), "source sea: tables: must be a list of texts.", "List.of");
        wrong("options", List.of("a"), "source sea: options: must be a map of texts.", "Map.of");
        wrong("host", List.of("a"), "source sea: host: must be a single value.", "Give a text");
        wrong("host", null, "source sea: host: must be a single value.", "Give a text");
        assertThatThrownBy(() -> given(Map.of("port", 1)))
                .hasMessage("source sea: host: is missing.")
                .isInstanceOf(TidegateException.class);
        assertThatThrownBy(() -> given(Map.of("host", "h")).invalid(HOST, "is not on a map", "Write another"))
                .hasMessage("source sea: host: is not on a map.");
    }

    private static void wrong(String key, Object value, String message, String cure) {
        Map<String, Object> given = new HashMap<>();
        given.put("host", "h");
        given.put(key, value);
        assertThatThrownBy(() -> given(given)).isInstanceOfSatisfying(TidegateException.class, e -> {
            assertThat(e.code()).isEqualTo(ErrorCode.CONFIG_INVALID);
            assertThat(e).hasMessage(message).hasMessageNotContaining("s3cret");
            assertThat(e.advice()).contains(cure);
        });
    }

    private static Settings given(Map<String, ?> values) {
        return new GivenSettings("source sea", "orders", Path.of("."), ALL, values);
    }
}
