package io.tidegate.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidegate.engine.PipelineStatus;
import io.tidegate.engine.env.RealDisk;
import io.tidegate.server.FakeConnectors;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.Finding;
import io.tidegate.spi.Secret;
import io.tidegate.spi.TidegateException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CommandLinesTest {

    private static final String PASSWORD = "0pen%sesame#1";

    private static final String EXPORT = """
            {
            "tidegate_state":1,
            "pipeline":"orders",
            "source":{"server":"blue"},
            "splits":[
            {"id":"log","after":[],"start":"3","spec":"","position":"7","done":false}]}
            """;

    @TempDir
    Path folder;

    private final FakeConnectors fakes = new FakeConnectors();
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private final Map<String, Optional<TidegateException>> outcomes = new java.util.HashMap<>();
    private final List<String> started = new ArrayList<>();
    private boolean terminal;
    private boolean answer;

    @BeforeEach
    void writeFile() throws IOException {
        write("orders");
    }

    @Test
    void checkPrintsEveryFindingOfBothSidesWithItsCureOnALineOfItsOwn() {
        fakes.sourceFindings.add(Finding.error(ErrorCode.PREFLIGHT, "table a", "has no key.", "ALTER TABLE a …;"));
        fakes.sinkFindings.add(Finding.warning(ErrorCode.PREFLIGHT, "disk", "is nearly full.", ""));

        assertThat(execute("check", file())).isEqualTo(3);

        assertThat(out.toString().lines())
                .containsExactly(
                        "ERROR TG-PREFLIGHT table a: has no key.",
                        "    ALTER TABLE a …;",
                        "WARNING TG-PREFLIGHT disk: is nearly full.",
                        "pipeline orders: 1 error, 1 warning");
    }

    @Test
    void checkWithoutAnErrorEndsWithZeroAndPrintsJsonIfAsked() {
        fakes.sinkFindings.add(Finding.warning(ErrorCode.PREFLIGHT, "disk", "is nearly full.", ""));

        assertThat(execute("check", "--json", file())).isZero();

        assertThat(out.toString().replaceAll("\\s+", ""))
                .isEqualTo("[{\"severity\":\"warning\",\"code\":\"TG-PREFLIGHT\",\"object\":\"disk\","
                        + "\"problem\":\"isnearlyfull.\",\"cure\":\"\"}]");
    }

    @Test
    void aWrongFileGivesItsCodeAdviceAndExitStatusAndNoStack() throws IOException {
        Files.writeString(Path.of(file()), "pipelin: orders\n");

        assertThat(execute("check", file())).isEqualTo(2);

        assertThat(err.toString())
                .contains("TG-CONFIG-INVALID: ")
                .contains(":1: pipelin: is not a known key. Did you mean pipeline?")
                .contains("Correct the configuration file")
                .doesNotContain("\tat ");
        assertThat(out.toString()).isEmpty();
    }

    @Test
    void anUnknownOptionIsRefusedWithTheOneThatWasMeant() {
        assertThat(execute("check", "--jsn", file())).isEqualTo(2);
        assertThat(err.toString()).contains("--json");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "init",
                "check",
                "run",
                "remove",
                "status",
                "state",
                "state show",
                "state reset",
                "state export",
                "state import",
                "version"
            })
    void everyCommandHasHelpWithExamples(String command) {
        assertThat(execute((command + " --help").split(" "))).isZero();
        assertThat(out.toString()).contains("Examples:").contains("tidegate " + command);
    }

    @Test
    void initWritesOverNothingUnlessForced() throws IOException {
        Path there = Files.writeString(folder.resolve("new.yaml"), "mine");

        assertThat(execute("init", "ocean://h/deep", "-o", there.toString())).isEqualTo(2);
        assertThat(there).hasContent("mine");
        assertThat(err.toString()).contains("TG-CONFIG-INVALID: ").contains("--force");

        assertThat(execute("init", "ocean://h/deep", "-o", there.toString(), "--force"))
                .isZero();
        assertThat(there).content().contains("pipeline: deep\n");
    }

    @Test
    void initWritesNoFileWhenNothingCanBeCaptured() {
        fakes.obstacle = "too wet";

        assertThat(execute(
                        "init",
                        "OCEAN://h/deep",
                        "-o",
                        folder.resolve("new.yaml").toString()))
                .isEqualTo(3);

        assertThat(out.toString()).contains("a.b: too wet");
        assertThat(folder.resolve("new.yaml")).doesNotExist();
    }

    @Test
    void initRefusesWhatItCannotUseBeforeItConnects() {
        String file = folder.resolve("new.yaml").toString();

        assertThat(execute("init", "river://h/deep", "-o", file)).isEqualTo(2);
        assertThat(err.toString()).contains("Begin it with one of ocean://");
        assertThat(execute("init", "ocean://h/deep", "-o", file, "--pipeline", "A B"))
                .isEqualTo(2);
        assertThat(execute("init", "ocean://h/deep", "-o", file, "--password-env", "s3cret!"))
                .isEqualTo(2);
        assertThat(err.toString()).doesNotContain("s3cret");
        assertThat(execute(
                        "init",
                        "ocean://h/deep",
                        "-o",
                        folder.resolve("no/x.yaml").toString()))
                .isEqualTo(2);
        assertThat(err.toString()).contains("its folder does not exist");
    }

    @Test
    void removeDropsNothingWithoutATerminalOrYes() {
        fakes.removals.add("slot orders: SELECT pg_drop_replication_slot('orders');");

        assertThat(execute("remove", file())).isEqualTo(2);

        assertThat(fakes.removals).hasSize(1);
        assertThat(out.toString()).contains("pg_drop_replication_slot");
        assertThat(err.toString()).contains("--yes");
    }

    @Test
    void removeAsJsonShowsWhatIsThereAndDropsItOnlyWithYes() {
        fakes.removals.add("slot orders");

        assertThat(execute("remove", "--json", file())).isZero();
        assertThat(out.toString()).contains("\"slot orders\"").contains("\"dropped\" : false");
        assertThat(fakes.removals).hasSize(1);

        assertThat(execute("remove", "--json", "--yes", file())).isZero();
        assertThat(out.toString()).contains("\"dropped\" : true");
        assertThat(fakes.removals).isEmpty();
    }

    @Test
    void removeAsksAtATerminalAndObeys() {
        fakes.removals.add("slot orders");
        terminal = true;

        assertThat(execute("remove", file())).isEqualTo(1);
        assertThat(fakes.removals).hasSize(1);

        answer = true;
        assertThat(execute("remove", file())).isZero();
        assertThat(fakes.removals).isEmpty();
        assertThat(out.toString()).contains("tidegate state reset");
    }

    @Test
    void anExportedStateIsImportedShownAndSetAside() throws IOException {
        Path exported = Files.writeString(folder.resolve("export.json"), EXPORT);

        assertThat(execute("state", "import", file(), exported.toString())).isZero();
        assertThat(execute("state", "show", file())).isZero();
        assertThat(out.toString()).contains("    server = blue").contains("split log: at 7");

        out.getBuffer().setLength(0);
        assertThat(execute("state", "export", file())).isZero();
        String again = out.toString();
        assertThat(again).contains("\"position\":\"7\"");

        assertThat(execute("state", "reset", file())).isZero();
        assertThat(out.toString()).contains("set aside").contains("tidegate remove");
        out.getBuffer().setLength(0);
        assertThat(execute("state", "show", file())).isZero();
        assertThat(out.toString()).contains("no state");
    }

    @Test
    void anExportComesBackAsItWasFromStandardInputAndReplacesAStateOnlyWhenForced() throws IOException {
        assertThat(importing(EXPORT, "state", "import", file())).isZero();
        String exported = exported();
        String later = exported.replace("\"position\":\"7\"", "\"position\":\"9\"");

        assertThat(importing(later, "state", "import", file())).isEqualTo(2);
        assertThat(err.toString()).contains("has a state already").contains("--force");
        assertThat(exported()).isEqualTo(exported);

        assertThat(importing("{", "state", "import", "--force", file())).isEqualTo(4);
        assertThat(exported())
                .as("nothing is set aside for what cannot be read")
                .isEqualTo(exported);

        assertThat(importing(later, "state", "import", "--force", file())).isZero();
        assertThat(out.toString()).contains("set aside as:").contains(".log.reset-1");
        assertThat(exported()).isEqualTo(later);
    }

    private String exported() {
        out.getBuffer().setLength(0);
        assertThat(execute("state", "export", file())).isZero();
        return out.toString();
    }

    private int importing(String document, String... args) {
        InputStream before = System.in;
        out.getBuffer().setLength(0);
        System.setIn(new ByteArrayInputStream(document.getBytes(StandardCharsets.UTF_8)));
        try {
            return execute(args);
        } finally {
            System.setIn(before);
        }
    }

    @Test
    void runEndsWithTheStatusOfTheFirstErrorWhileTheOthersGoOn() throws IOException {
        write("customers");
        outcomes.put("orders", Optional.of(new TidegateException(ErrorCode.POSITION_LOST, "a gap")));

        assertThat(execute(
                        "run",
                        "--http",
                        "off",
                        file(),
                        folder.resolve("customers.yaml").toString()))
                .isEqualTo(4);

        assertThat(started).containsExactly("orders", "customers");
        assertThat(err.toString()).contains("TG-POSITION-LOST: a gap").contains("pipeline customers has ended");
    }

    @Test
    void runRefusesTwoFilesOfOneName() {
        assertThat(execute("run", "--http", "off", file(), file())).isEqualTo(2);
        assertThat(started).isEmpty();
    }

    @Test
    void noCommandPrintsThePassword() throws IOException {
        fakes.sourceFindings.add(Finding.error(ErrorCode.PREFLIGHT, "a", "b.", "c"));
        Path exported = Files.writeString(folder.resolve("export.json"), EXPORT);
        outcomes.put("orders", Optional.of(new TidegateException(ErrorCode.POSITION_LOST, "a gap")));

        execute("--log-level", "debug", "check", file());
        execute("--log-level", "debug", "state", "import", file(), exported.toString());
        execute("--log-level", "debug", "state", "show", "--json", file());
        execute("--log-level", "debug", "remove", "--yes", file());
        execute("--log-level", "debug", "run", "--http", "off", file());
        Files.writeString(Path.of(file()), Files.readString(Path.of(file())).replace("host: h", "host: nowhere"));
        execute("--log-level", "debug", "check", file());

        assertThat(out.toString() + err).contains("is not on a map").doesNotContain("sesame");
    }

    private void write(String name) throws IOException {
        Files.writeString(
                folder.resolve(name + ".yaml"),
                "pipeline: " + name + "\nsource:\n  ocean:\n    host: h\n    password: \"" + PASSWORD
                        + "\"\nsink: {bucket: }\n");
    }

    private String file() {
        return folder.resolve("orders.yaml").toString();
    }

    private int execute(String... args) {
        Wiring wiring = new Wiring(fakes.connectors(), name -> null, new RealDisk(), (pipeline, disk, store) -> {
            started.add(pipeline.name());
            return new Ended(outcomes.getOrDefault(pipeline.name(), Optional.empty()));
        });
        Terminal person = new Terminal() {
            @Override
            public boolean present() {
                return terminal;
            }

            @Override
            public boolean confirm(String question) {
                return answer;
            }

            @Override
            public @Nullable Secret secret(String question) {
                return null;
            }
        };
        return CommandLines.create(wiring, person, new PrintWriter(out, true), new PrintWriter(err, true))
                .execute(args);
    }

    /** A pipeline that has ended at once. */
    private record Ended(Optional<TidegateException> outcome) implements RunningPipeline {
        @Override
        public PipelineStatus status() {
            return PipelineStatus.starting("x", java.time.Instant.EPOCH);
        }

        @Override
        public void stop() {}

        @Override
        public CompletableFuture<Optional<TidegateException>> ended() {
            return CompletableFuture.completedFuture(outcome);
        }
    }
}
