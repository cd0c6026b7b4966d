package io.tidegate.dist;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidegate.engine.PipelineOptions;
import io.tidegate.spi.ErrorCode;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The tarball, unpacked and started as a user would. */
class DistributionIT {

    private static final Path TARBALL = Path.of(System.getProperty("tidegate.tarball"));
    private static final String VERSION = System.getProperty("tidegate.version");
    private static final String ROOT = "tidegate-" + VERSION;
    private static final long LIMIT_SECONDS = 60;

    @TempDir
    static Path folder;

    private static Path home;

    private record Ended(int status, String out, String err) {}

    @BeforeAll
    static void unpack() throws Exception {
        // With a blank in it, as folders of people have.
        Path place = Files.createDirectories(folder.resolve("opt of mine"));
        assertThat(run(Map.of(), "tar", "-xzf", TARBALL.toString(), "-C", place.toString()))
                .isEqualTo(new Ended(0, "", ""));
        home = place.resolve(ROOT);
    }

    @Test
    void theLauncherStartsTheProgramAlsoThroughALink() throws Exception {
        Path link = Files.createSymbolicLink(folder.resolve("tidegate-link"), home.resolve("bin/tidegate"));

        for (String launcher : List.of(launcher(), link.toString())) {
            Ended version = run(java(), launcher, "version");
            assertThat(version.status()).as(version.err()).isZero();
            assertThat(version.out())
                    .startsWith("tidegate " + VERSION + " on Java ")
                    .contains("sources: postgres\n", "file", "stdout");
        }
        Ended help = run(java(), launcher(), "--help");
        assertThat(help.status()).isZero();
        assertThat(help.out()).contains("tidegate run orders.yaml", "init", "check");
    }

    @Test
    void theExitStatusAndTheErrorsComeThrough() throws Exception {
        Path file = Files.writeString(folder.resolve("broken.yaml"), "pipeline: orders\nsurce: {}\n");

        Ended check = run(java(), launcher(), "check", file.toString());

        assertThat(check.status()).isEqualTo(2);
        assertThat(check.err())
                .contains("TG-CONFIG-INVALID: ")
                .contains(file + ":2: surce: is not a known key. Did you mean source?");
        assertThat(check.out()).isEmpty();
    }

    @Test
    void theJavaOfJavaHomeIsTakenElseThatOfThePathAndTheHeapCanBeChosen() throws Exception {
        Path there = java("17.0.1");
        String expected = "[-cp][" + home + "/lib/*][io.tidegate.server.Tidegate][run][a b]";
        String path = there.resolve("bin") + File.pathSeparator + System.getenv("PATH");

        assertThat(run(Map.of("JAVA_HOME", there.toString()), launcher(), "run", "a b"))
                .isEqualTo(new Ended(0, "[-Xmx256m][-XX:+UseSerialGC]" + expected, ""));
        assertThat(run(Map.of("JAVA_HOME", "", "PATH", path), launcher(), "run", "a b"))
                .isEqualTo(new Ended(0, "[-Xmx256m][-XX:+UseSerialGC]" + expected, ""));
        assertThat(run(
                        Map.of("JAVA_HOME", there.toString(), "TIDEGATE_JAVA_OPTS", "-Xmx1g -Dx=y"),
                        launcher(),
                        "run",
                        "a b"))
                .isEqualTo(new Ended(0, "[-Xmx1g][-Dx=y]" + expected, ""));
    }

    @Test
    void whatIsWrongWithTheJavaIsSaidInWords() throws Exception {
        assertThat(run(Map.of("JAVA_HOME", "/nowhere"), launcher(), "version"))
                .isEqualTo(new Ended(2, "", "tidegate: JAVA_HOME is /nowhere, and there is no bin/java in it\n"));
        for (String old : List.of("11.0.2", "1.8.0_402")) {
            Ended ended = run(Map.of("JAVA_HOME", java(old).toString()), launcher(), "version");
            assertThat(ended.status()).isEqualTo(2);
            assertThat(ended.err())
                    .startsWith("tidegate: Java 17 or later is needed, and ")
                    .endsWith("set JAVA_HOME\n");
        }
        Path tools = Files.createDirectories(folder.resolve("tools"));
        for (String tool : List.of("dirname", "readlink")) {
            Files.createSymbolicLink(tools.resolve(tool), Path.of("/usr/bin", tool));
        }
        assertThat(run(Map.of("JAVA_HOME", "", "PATH", tools.toString()), "/bin/sh", launcher(), "version"))
                .isEqualTo(new Ended(2, "", "tidegate: Java 17 or later is needed: install it, or set JAVA_HOME\n"));
    }

    @Test
    void theTarballHoldsTheServersClassPathAndNothingElse() throws Exception {
        Set<String> known = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .map(entry -> Path.of(entry).getFileName().toString())
                .collect(Collectors.toSet());

        Set<String> packed = names(home.resolve("lib"));

        assertThat(packed)
                .as("a jar that is left over from an earlier build: mvn clean")
                .isSubsetOf(known);
        assertThat(packed).contains("tidegate-server-" + VERSION + ".jar", "tidegate-engine-" + VERSION + ".jar");
        assertThat(names(home)).containsExactly("LICENSE", "README.md", "bin", "docker", "docs", "lib", "systemd");
        assertThat(home.resolve("docs/install.md")).exists();
    }

    @Test
    void everyEntryHasTheModesOfASystemFolderAndTheTimeOfTheRelease() throws Exception {
        try (Stream<Path> files = Files.walk(home)) {
            for (Path path : files.toList()) {
                boolean runs = Files.isDirectory(path) || path.equals(home.resolve("bin/tidegate"));
                assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
                        .as(path.toString())
                        .isEqualTo(runs ? "rwxr-xr-x" : "rw-r--r--");
            }
        }
        Ended list = run(Map.of("TZ", "UTC"), "tar", "-tvzf", TARBALL.toString());
        String time = System.getProperty("tidegate.timestamp").substring(0, 16).replace('T', ' ');
        assertThat(list.out().lines())
                .isNotEmpty()
                .allMatch(line -> line.contains(" root/root ") && line.contains(" " + time + " "));
    }

    @Test
    void theUnitLeavesAPipelineDownThatTryingAgainCannotMendAndLetsAStopTakeItsTime() throws Exception {
        List<String> unit = Files.readAllLines(home.resolve("systemd/tidegate@.service"));

        Set<String> halting = Arrays.stream(ErrorCode.values())
                .filter(code -> code.outcome() == ErrorCode.Outcome.HALT)
                .map(code -> Integer.toString(code.exitStatus()))
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(value(unit, "RestartPreventExitStatus").split(" ")).containsExactlyElementsOf(halting);
        Duration stop = Duration.parse("PT" + value(unit, "TimeoutStopSec"));
        assertThat(stop).isGreaterThan(PipelineOptions.defaults().stopTimeout().plusSeconds(10));
        assertThat(value(unit, "ExecStart"))
                .startsWith("/opt/tidegate/bin/tidegate run ")
                .endsWith(" /etc/tidegate/%i.yaml");
    }

    private static String value(List<String> unit, String key) {
        List<String> values = unit.stream()
                .filter(line -> line.startsWith(key + "="))
                .map(line -> line.substring(key.length() + 1))
                .toList();
        assertThat(values).as(key).hasSize(1);
        return values.get(0);
    }

    private static Set<String> names(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(path -> path.getFileName().toString()).collect(Collectors.toCollection(TreeSet::new));
        }
    }

    private static String launcher() {
        return home.resolve("bin/tidegate").toString();
    }

    private static Map<String, String> java() {
        return Map.of("JAVA_HOME", System.getProperty("java.home"));
    }

    /** A folder with a Java that says that it is of this version. */
    private static Path java(String version) throws IOException {
        Path there = folder.resolve("java-" + version);
        Path program = Files.createDirectories(there.resolve("bin")).resolve("java");
        // only says what it was called with
        Files.writeString(
                program,
                "#!/bin/sh\nif [ \"$1\" = -version ]; then echo 'openjdk version \"" + version + "\"' >&2;"
                        + " else printf '[%s]' \"$@\"; fi\n");
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
        return there;
    }

    private static Ended run(Map<String, String> environment, String... command) throws Exception {
        Path out = Files.createTempFile(folder, "run-", ".out");
        Path err = Files.createTempFile(folder, "run-", ".err");
        ProcessBuilder builder = new ProcessBuilder(new ArrayList<>(List.of(command)))
                .redirectOutput(out.toFile())
                .redirectError(err.toFile());
        builder.environment().remove("TIDEGATE_JAVA_OPTS");
        builder.environment().putAll(environment);
        Process process = builder.start();
        if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new AssertionError(String.join(" ", command) + " does not end");
        }
        return new Ended(process.exitValue(), Files.readString(out), Files.readString(err));
    }
}
