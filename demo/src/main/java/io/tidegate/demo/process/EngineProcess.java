package io.tidegate.demo.process;

import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.TidegateException;
import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One process of the engine. Its standard error is ours; its standard output is ours, or lines that we read. */
public final class EngineProcess implements AutoCloseable {

    private static final Duration END_LIMIT = Duration.ofSeconds(20);

    private final Process process;
    private final @Nullable Thread reading;

    private EngineProcess(Process process, @Nullable Thread reading) {
        this.process = process;
        this.reading = reading;
    }

    /** How an engine is started: {@code tidegate} with these arguments, on the Java and the class path of this process. */
    public record Command(List<String> arguments) {

        public static Command run(Path pipeline, String http, String logLevel) {
            return new Command(List.of("run", "--log-level", logLevel, "--http", http, pipeline.toString()));
        }

        private ProcessBuilder builder() {
            List<String> line = new ArrayList<>();
            line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
            line.add("-Xmx256m");
            line.add("-XX:+UseSerialGC");
            line.add("-cp");
            line.add(absolute(System.getProperty("java.class.path")));
            line.add(GuardedEngine.class.getName());
            line.add(Long.toString(ProcessHandle.current().pid()));
            line.addAll(arguments);
            // Whether a person is at the terminal is told by standard input and output together.
            return new ProcessBuilder(line).redirectInput(Redirect.INHERIT).redirectError(Redirect.INHERIT);
        }

        private static String absolute(String classPath) {
            List<String> entries = new ArrayList<>();
            for (String entry : classPath.split(File.pathSeparator, -1)) {
                entries.add(Path.of(entry).toAbsolutePath().toString());
            }
            return String.join(File.pathSeparator, entries);
        }
    }

    /** Starts an engine that writes to our standard output. */
    public static EngineProcess onOurOutput(Command command) throws IOException {
        return new EngineProcess(
                command.builder().redirectOutput(Redirect.INHERIT).start(), null);
    }

    /**
     * Starts an engine whose lines are taken by {@code lines}, on a thread of its own.
     *
     * @param failed told on that thread when the lines cannot be read or taken
     */
    public static EngineProcess intoLines(Command command, LineSink lines, Consumer<Exception> failed)
            throws IOException {
        Process process = command.builder().start();
        Thread reading = new Thread(
                () -> {
                    try {
                        new LineReader(process.getInputStream()).readAll(lines);
                    } catch (IOException | RuntimeException e) {
                        failed.accept(e);
                    }
                },
                "demo-lines");
        // An output that takes nothing must not keep the process from ending.
        reading.setDaemon(true);
        reading.start();
        return new EngineProcess(process, reading);
    }

    /** Tells the exit status, on some thread, when the process has ended. */
    public void onEnd(Consumer<Integer> ended) {
        CompletableFuture<Void> unused = process.onExit().thenAccept(gone -> ended.accept(gone.exitValue()));
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** SIGKILL. Returns when the process is gone and all that it had written was read. */
    public void kill() throws InterruptedException {
        signal().destroyForcibly();
        end();
    }

    /** SIGTERM, and SIGKILL if it does not end. Returns the exit status when all that it had written was read. */
    public int stop() throws InterruptedException {
        signal().destroy();
        return awaitEnd(END_LIMIT);
    }

    /** Waits for the end of its own accord; SIGKILL if it does not come. */
    public int awaitEnd(Duration limit) throws InterruptedException {
        if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
            signal().destroyForcibly();
        }
        return end();
    }

    /** SIGKILL, if it still runs. */
    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }

    /** Signals go to the handle: those to {@link Process} close its output, and what is in the pipe is lost. */
    private ProcessHandle signal() {
        return process.toHandle();
    }

    private int end() throws InterruptedException {
        int status = process.waitFor();
        if (reading != null) {
            reading.join(END_LIMIT.toMillis());
            if (reading.isAlive()) {
                throw new TidegateException(
                        ErrorCode.SINK_FAILED,
                        "the standard output took no more lines for " + END_LIMIT.toSeconds() + " s",
                        "Is its reader stopped? Start the demo again.",
                        null);
            }
        }
        return status;
    }
}
