package io.tidegate.chaos;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** The built distribution as a child process in a process group of its own, killed by its process id. */
final class EngineProcess implements AutoCloseable {

    private static final Duration COMMAND_LIMIT = Duration.ofSeconds(60);
    private static final String CLASS_PATH = classPath();

    private final Process process;
    private final Path log;
    private final Thread atExit;

    private EngineProcess(Process process, Path log) {
        this.process = process;
        this.log = log;
        atExit = new Thread(process::destroyForcibly, "end-engine");
        Runtime.getRuntime().addShutdownHook(atExit);
    }

    /**
     * What a process gets beyond its files.
     *
     * @param hold where it is held for good, {@code POINT:NUMBER/TOTAL}; empty: nowhere
     * @param classes a folder of classes in place of those of the distribution
     */
    record Launch(String hold, Optional<Path> classes) {

        static final Launch PLAIN = new Launch("", Optional.empty());
    }

    /** As {@link #run(Path, Launch, Path...)}, as people do. */
    static EngineProcess run(Path log, Path... files) {
        return run(log, Launch.PLAIN, files);
    }

    /**
     * Runs pipelines.
     *
     * @param log of this process only
     */
    static EngineProcess run(Path log, Launch launch, Path... files) {
        List<String> arguments = new ArrayList<>(List.of("run", "--http", "off"));
        Stream.of(files).map(Path::toString).forEach(arguments::add);
        try {
            return new EngineProcess(
                    command(launch, arguments)
                            .redirectErrorStream(true)
                            .redirectOutput(log.toFile())
                            .start(),
                    log);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot start the engine", e);
        }
    }

    /** Runs a command to its end, which must be a good one; gives what it printed. */
    static String answer(Path folder, String... arguments) {
        try {
            Path out = Files.createTempFile(folder, "command-", ".out");
            Path err = Files.createTempFile(folder, "command-", ".err");
            Process process = command(Launch.PLAIN, List.of(arguments))
                    .redirectOutput(out.toFile())
                    .redirectError(err.toFile())
                    .start();
            if (!await(process, COMMAND_LIMIT)) {
                process.destroyForcibly();
                throw new AssertionError("'tidegate " + String.join(" ", arguments) + "' does not end");
            }
            if (process.exitValue() != 0) {
                throw new AssertionError("'tidegate " + String.join(" ", arguments) + "' gave " + process.exitValue()
                        + ": " + Files.readString(err) + Files.readString(out));
            }
            return Files.readString(out);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot run the engine", e);
        }
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** SIGKILL; returns when it is gone. */
    void kill() {
        process.destroyForcibly();
        if (!await(process, COMMAND_LIMIT)) {
            throw new AssertionError("a killed process is still there");
        }
        forget();
    }

    /** SIGTERM; returns at once. */
    void askToStop() {
        process.destroy();
    }

    /** SIGTERM; gives the exit status. */
    int stop(Duration limit) {
        askToStop();
        return awaitExit(limit);
    }

    /** Waits for the end; gives the exit status. */
    int awaitExit(Duration limit) {
        if (!await(process, limit)) {
            throw new AssertionError("the engine has not ended after " + limit + ":\n" + log());
        }
        forget();
        return process.exitValue();
    }

    /** All that was printed. */
    String log() {
        try {
            return Files.readString(log);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        if (process.isAlive()) {
            kill();
        }
    }

    private void forget() {
        try {
            Runtime.getRuntime().removeShutdownHook(atExit);
        } catch (IllegalStateException shuttingDown) {
            // The hook runs already and does the same.
        }
    }

    private static boolean await(Process process, Duration limit) {
        try {
            return process.waitFor(limit.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while waiting for the engine", e);
        }
    }

    private static ProcessBuilder command(Launch launch, List<String> arguments) {
        List<String> command = new ArrayList<>(List.of(
                "setsid",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                // These processes live for seconds.
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC"));
        if (!launch.hold().isEmpty()) {
            command.add("-Dtidegate.test.hold=" + launch.hold());
        }
        command.add("-cp");
        command.add(launch.classes().map(classes -> classes + ":").orElse("") + CLASS_PATH);
        command.add("io.tidegate.server.Tidegate");
        command.addAll(arguments);
        return new ProcessBuilder(command);
    }

    /** The jar of the server and what it needs, found from the working directory upwards. */
    private static String classPath() {
        for (Path folder = Path.of("").toAbsolutePath(); folder != null; folder = folder.getParent()) {
            Path target = folder.resolve("server").resolve("target");
            if (Files.isDirectory(target.resolve("lib"))) {
                try (DirectoryStream<Path> jars = Files.newDirectoryStream(target, "tidegate-server-*.jar")) {
                    for (Path jar : jars) {
                        return jar + ":" + target.resolve("lib") + "/*";
                    }
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        }
        throw new IllegalStateException(
                "there is no server/target with a jar and lib at or above the working directory: run 'mvn -DskipTests package'");
    }
}
