package io.tidegate.demo;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tidegate.testkit.await.Await;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs the demo as people do, in a process of its own. Its temporary folder is empty afterwards, and its processes are gone. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DemoIT {

    private static final Duration LIMIT = Duration.ofSeconds(90);

    @TempDir
    Path folder;

    private final Set<ProcessHandle> seen = new HashSet<>();

    @AfterEach
    void nothingStaysBehind() throws IOException {
        // A process that was killed has no last word; what watches over it takes a moment.
        Await.until(
                "all processes of the demo to end",
                Duration.ofSeconds(20),
                () -> seen.stream().noneMatch(ProcessHandle::isAlive));
        Await.until(
                "the temporary folder to be empty",
                Duration.ofSeconds(20),
                () -> temporary().isEmpty());
        assertThat(seen).hasSizeGreaterThan(2);
    }

    @Test
    void deliversEveryKindOfChangeAsLinesOfJsonAndEndsByItself() throws Exception {
        Process demo = demo("--seconds", "6");
        Set<String> ops = new TreeSet<>();
        int lines = 0;
        for (String line : readAll(demo)) {
            JsonNode change = new ObjectMapper().readTree(line);
            ops.add(change.required("op").asText());
            assertThat(change.required("key").isObject()).isTrue();
            lines++;
        }

        assertThat(ops).containsExactly("c", "d", "r", "u");
        assertThat(lines).isGreaterThan(3000);
        assertThat(status(demo)).isZero();
        assertThat(notices()).contains("stopped").doesNotContain("TG-");
    }

    @Test
    void nothingIsMissingAlthoughTheEngineIsKilledAgainAndAgain() throws Exception {
        Process demo = demo("--seconds", "11", "--kill-every", "5");
        List<String> lines = readAll(demo);

        assertThat(status(demo)).as(notices()).isZero();
        assertThat(notices()).contains("missing 0").containsPattern("[1-9][0-9]* kills");
        for (String line : lines) {
            assertThat(new ObjectMapper().readTree(line).isObject()).isTrue();
        }
    }

    @Test
    void stopsWithoutAnErrorWhenItsReaderGoes() throws Exception {
        Process demo = demo();
        readOne(demo);
        demo.getInputStream().close();

        assertThat(status(demo)).isZero();
        assertThat(notices()).contains("stopped").doesNotContain("TG-").doesNotContain("Exception");
    }

    @Test
    void stopsWithoutAnErrorAtASignal() throws Exception {
        Process demo = demo();
        BufferedReader lines = readOne(demo);
        demo.toHandle().destroy();
        String last = "";
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            last = line;
        }

        assertThat(last).endsWith("}");
        assertThat(status(demo)).isZero();
        assertThat(notices()).contains("stopped").doesNotContain("TG-");
    }

    @Test
    void leavesNothingBehindWhenItIsKilled() throws Exception {
        Process demo = demo("--kill-every", "60");
        readOne(demo);
        demo.toHandle().destroyForcibly();

        assertThat(status(demo)).isEqualTo(128 + 9);
    }

    private Process demo(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Djava.io.tmpdir=" + Files.createDirectories(folder.resolve("tmp")),
                "-cp",
                System.getProperty("java.class.path"),
                Demo.class.getName()));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command)
                .redirectError(folder.resolve("notices").toFile())
                .start();
    }

    private BufferedReader readOne(Process demo) throws IOException {
        BufferedReader lines = demo.inputReader(StandardCharsets.UTF_8);
        assertThat(lines.readLine()).startsWith("{");
        remember(demo);
        return lines;
    }

    private List<String> readAll(Process demo) throws IOException {
        BufferedReader lines = readOne(demo);
        List<String> all = new ArrayList<>();
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            all.add(line);
        }
        return all;
    }

    /** The demo, its engine, the server's processes and their guard. */
    private void remember(Process demo) {
        seen.add(demo.toHandle());
        try (Stream<ProcessHandle> descendants = demo.descendants()) {
            descendants.forEach(seen::add);
        }
    }

    private static int status(Process demo) throws InterruptedException {
        boolean ended = demo.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS);
        if (!ended) {
            demo.toHandle().destroyForcibly();
        }
        assertThat(ended).as("ended within " + LIMIT).isTrue();
        return demo.exitValue();
    }

    private String notices() throws IOException {
        return Files.readString(folder.resolve("notices"));
    }

    private List<Path> temporary() throws IOException {
        try (Stream<Path> left = Files.list(folder.resolve("tmp"))) {
            return left.toList();
        }
    }
}
