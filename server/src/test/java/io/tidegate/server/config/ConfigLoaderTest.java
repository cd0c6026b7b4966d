package io.tidegate.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tidegate.server.FakeConnectors;
import io.tidegate.server.config.PipelineConfig.Backoff;
import io.tidegate.server.config.PipelineConfig.Checkpointing;
import io.tidegate.server.config.PipelineConfig.Format;
import io.tidegate.server.config.PipelineConfig.Limits;
import io.tidegate.server.config.PipelineConfig.RejectPolicy;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.Settings;
import io.tidegate.spi.TidegateException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ConfigLoaderTest {

    private static final String MINIMAL = "pipeline: orders\nsource: {ocean: {host: h}}\nsink: {bucket: }\n";

    @TempDir
    Path folder;

    private final FakeConnectors fakes = new FakeConnectors();
    private final Map<String, String> environment = new HashMap<>();

    @Test
    void aFileWithNothingButTheNecessaryHasTheseDefaults() throws IOException {
        PipelineConfig config = load(MINIMAL).config();

        assertThat(config)
                .isEqualTo(new PipelineConfig(
                        "orders",
                        Format.JSON,
                        RejectPolicy.RETRY,
                        new Limits(1000, 1 << 20),
                        new Limits(256, 32 << 20),
                        new Checkpointing(Duration.ofMillis(200), 100_000),
                        new Backoff(Duration.ofSeconds(1), Duration.ofSeconds(60)),
                        Duration.ofSeconds(8),
                        folder.toAbsolutePath().resolve("state")));
        assertThat(settings().get(FakeConnectors.PORT)).isEqualTo(5432);
        assertThat(settings().get(FakeConnectors.WAIT)).isEqualTo(Duration.ofSeconds(10));
        assertThat(settings().find(FakeConnectors.TABLES)).isEmpty();
    }

    @Test
    void everyKeyReachesTheValueItNames() throws IOException {
        PipelineConfig config = load("""
                        pipeline: a_b-1
                        format: flat
                        rejects: {policy: halt}
                        batch: {changes: 3, bytes: 2KiB}
                        in_flight: {batches: 4, bytes: 5MiB}
                        checkpoint: {interval: 20ms, changes: 6}
                        stop_timeout: 2m
                        retry: {initial: 3s, max: 1h}
                        state: {dir: /var/lib/tidegate}
                        source:
                          ocean:
                            host: sea
                            port: 7
                            password: 12345
                            mode: rough
                            tls: {enabled: false}
                            wait: 200ms
                            max_row_bytes: 1GiB
                            tables: [a, 7]
                            options: {x: 1, "y z": two}
                        sink: {bucket: {label: x}}
                        """).config();

        assertThat(config)
                .isEqualTo(new PipelineConfig(
                        "a_b-1",
                        Format.FLAT,
                        RejectPolicy.HALT,
                        new Limits(3, 2048),
                        new Limits(4, 5 << 20),
                        new Checkpointing(Duration.ofMillis(20), 6),
                        new Backoff(Duration.ofSeconds(3), Duration.ofHours(1)),
                        Duration.ofMinutes(2),
                        Path.of("/var/lib/tidegate")));
        Settings s = settings();
        assertThat(s.get(FakeConnectors.HOST)).isEqualTo("sea");
        assertThat(s.get(FakeConnectors.PORT)).isEqualTo(7);
        assertThat(s.get(FakeConnectors.PASSWORD).reveal()).isEqualTo("12345");
        assertThat(s.get(FakeConnectors.MODE)).isEqualTo("rough");
        assertThat(s.get(FakeConnectors.TLS)).isFalse();
        assertThat(s.get(FakeConnectors.WAIT)).isEqualTo(Duration.ofMillis(200));
        assertThat(s.get(FakeConnectors.ROW)).isEqualTo(1 << 30);
        assertThat(s.get(FakeConnectors.TABLES)).containsExactly("a", "7");
        assertThat(s.get(FakeConnectors.OPTIONS)).isEqualTo(Map.of("x", "1", "y z", "two"));
    }

    @Test
    void everythingThatIsWrongIsSaidAtOnceWithItsLine() {
        TidegateException error = refused("""
                pipeline: Orders!
                formt: json
                batch: {changes: 0, bytes: lots}
                in_flight:
                  batches: 10x
                checkpoint.interval: 1s
                stop_timeout: 8
                stop_timeout: 9s
                retry: {initial: 10s, max: 5s}
                source:
                  ocean:
                    prot: 1
                    port: 70000
                    mode: clam
                    tls: {enabled: maybe}
                    tables: public.a
                    password: ${env:NOT_THERE}
                sink: {buckett: {}}
                """);

        assertThat(error.code()).isEqualTo(ErrorCode.CONFIG_INVALID);
        assertThat(error.getMessage()
                        .lines()
                        .map(line -> line.replace(file() + ":", "").strip()))
                .containsExactly(
                        "17 problems:",
                        "1: pipeline: is not a name of 1 to 40 lower-case letters, digits, _ and -. Write such a name, for"
                                + " example orders.",
                        "2: formt: is not a known key. Did you mean format?",
                        "3: batch.changes: is too low, not \"0\". Write 1 or more.",
                        "3: batch.bytes: must be a size, not \"lots\". Write a number with B, KiB, MiB or GiB, such as 1MiB.",
                        "5: in_flight.batches: must be a whole number, not \"10x\". Write digits only, such as 256.",
                        "6: checkpoint.interval: is not a known key. Write it nested: checkpoint: interval.",
                        "7: stop_timeout: must be a duration, not \"8\". Write a number with ms, s, m or h, such as 8s.",
                        "8: stop_timeout: is given twice, first on line 7. Keep one of them.",
                        "9: retry.max: is less than retry.initial. Write the same or more.",
                        "11: source.ocean.host: is missing. Add it: The host.",
                        "12: source.ocean.prot: is not a known key. Did you mean source.ocean.port?",
                        "13: source.ocean.port: is too high, not \"70000\". Write 65535 or less.",
                        "14: source.ocean.mode: must be one of calm, rough, not \"clam\". Did you mean calm?",
                        "15: source.ocean.tls.enabled: must be true or false, not \"maybe\". Write true or false.",
                        "16: source.ocean.tables: must be a list, not \"public.a\". Write [a, b], or each on a line with '- '.",
                        "17: source.ocean.password: the environment variable NOT_THERE is not set. Set the variable, or"
                                + " create the file.",
                        "18: sink.buckett: is not a known sink. Did you mean bucket?");
    }

    @Test
    void whatOnlyTheConnectorKnowsIsSaidWithItsLineToo() {
        assertThat(refused("pipeline: a\nformat: x\nsource:\n  ocean:\n    host: nowhere\nsink: {bucket: }\n"))
                .hasMessageContaining(":2: format: must be one of json, flat")
                .hasMessageContaining(":5: source.ocean.host: is not on a map. Write one that is.");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "- a\n",
                "pipeline: a\n---\npipeline: b\n",
                "pipeline: a\nsource: {}\nsink: {bucket: }\n",
                "pipeline: a\nsource: {ocean: {host: h}, other: {}}\nsink: {bucket: }\n",
                "pipeline: a\nsource: {ocean: {host: h}}\n",
                "pipeline:\nsource: {ocean: {host: h}}\nsink: {bucket: }\n",
                "pipeline: a\nsource: {ocean: {host: }}\nsink: {bucket: }\n",
                "pipeline: a\nsource: {ocean: {host: h, port: 99999999999999999999}}\nsink: {bucket: }\n",
                "pipeline: a\nsource: {ocean: {host: h, max_row_bytes: 999999999GiB}}\nsink: {bucket: }\n",
                "pipeline: a\nbatch: &a {changes: *a}\nsource: {ocean: {host: h}}\nsink: {bucket: }\n",
                "pipeline: a\nbatch: {bytes: 2MiB}\nin_flight: {bytes: 1MiB}\nsource: {ocean: {host: h}}\nsink: {bucket: }\n",
            })
    void badInputNeverParsesToADefault(String text) {
        assertThat(refused(text).code()).isEqualTo(ErrorCode.CONFIG_INVALID);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a#b: c", "%41%", "'", "\"\\", "${x", "*a", "!b", "ä €\t", "$", "{a}", " pad "})
    void aPasswordOfAnyCharactersComesThroughFromEnvironmentFileAndQuotes(String password) throws IOException {
        environment.put("PW", password);
        Files.writeString(folder.resolve("pw"), password + "\n");
        String quoted = "'" + password.replace("'", "''").replace("${", "$${") + "'";

        for (String written : List.of("${env:PW}", "${file:" + folder.resolve("pw") + "}", "${file:pw}", quoted)) {
            load("pipeline: a\nsource: {ocean: {host: h, password: " + yaml(written) + "}}\nsink: {bucket: }\n");
            assertThat(settings().get(FakeConnectors.PASSWORD).reveal()).isEqualTo(password);
        }
    }

    @Test
    void severalReferencesStandInOneValue() throws IOException {
        environment.putAll(Map.of("A", "one", "B", "${env:A}"));

        load("pipeline: a\nsource: {ocean: {host: '${env:A}-${env:B}-$${x}'}}\nsink: {bucket: }\n");

        assertThat(settings().get(FakeConnectors.HOST)).isEqualTo("one-${env:A}-${x}");
    }

    @Test
    void aReferenceToNothingSaysItsNameAndLine() {
        TidegateException error =
                refused("pipeline: a\nsource:\n  ocean:\n    host: h\n    password: ${file:gone}\nsink: {bucket: }\n");

        assertThat(error.code()).isEqualTo(ErrorCode.SECRET_MISSING);
        assertThat(error).hasMessageContaining(":5: source.ocean.password: the file gone cannot be read");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "password: {sesame%9: 1}",
                "password: [sesame%9]",
                "password: *sesame%9",
                "password: !sesame%9",
                "password: &sesame%9",
                "password: a: sesame%9",
                "password: \"\\zsesame%9\"",
                "password: \"sesame%9",
                "password: @sesame%9",
                "password: forbidden-sesame%9",
                "password: ${sesame%9}",
                "password: ${env:PW}-forbidden",
                "port: ${env:PW}",
                "mode: ${env:PW}",
                "wait: ${env:PW}",
            })
    void noErrorPrintsASecret(String line) {
        environment.put("PW", "sesame%9");

        TidegateException error =
                refused("pipeline: a\nsource:\n  ocean:\n    host: h\n    " + line + "\nsink: {bucket: }\n");

        StringWriter all = new StringWriter();
        error.printStackTrace(new PrintWriter(all));
        assertThat(all.toString() + error.describe()).doesNotContain("sesame");
    }

    private static String yaml(String written) {
        return written.startsWith("$") ? "\"" + written + "\"" : written;
    }

    private Settings settings() {
        return Objects.requireNonNull(fakes.settings);
    }

    private Path file() {
        return folder.resolve("orders.yaml");
    }

    private ConfiguredPipeline load(String text) throws IOException {
        Files.writeString(file(), text);
        return new ConfigLoader(fakes.connectors(), environment::get).load(file());
    }

    private TidegateException refused(String text) {
        TidegateException error = catchThrowableOfType(TidegateException.class, () -> load(text));
        assertThat(error).isNotNull();
        return error;
    }
}
