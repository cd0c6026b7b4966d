package io.tidegate.bench.process;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A fresh JVM that does one thing and says what it measured ({@link ChildReport}). What else it prints goes to this process's
 * error output, so that a failure is seen. Ends with this process at the latest.
 */
public final class ChildJvm implements AutoCloseable {

    /** Begins the line that holds the figures. */
    static final String FIGURES = "FIGURES ";

    /** Begins a line that says that the child has come so far. */
    static final String REACHED = "REACHED ";

    private static final ObjectMapper JSON = new ObjectMapper();

    private final String name;
    private final Process process;
    private final Thread reader;
    private final Thread hook;
    private final Map<String, Long> reached = new ConcurrentHashMap<>();
    private final List<String> tail = new ArrayList<>();
    private volatile @Nullable String figures;

    private ChildJvm(String name, Process process) {
        this.name = name;
        this.process = process;
        hook = new Thread(process::destroyForcibly, "end of " + name);
        Runtime.getRuntime().addShutdownHook(hook);
        reader = new Thread(this::read, "output of " + name);
        reader.setDaemon(true);
        reader.start();
    }

    /**
     * Starts a program of this class path.
     *
     * @param jvm options of the JVM, such as {@code -Xmx2g}
     * @param arguments given as {@code name=value} words ({@link Arguments})
     */
    public static ChildJvm start(Class<?> main, List<String> jvm, Map<String, String> arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(jvm);
        command.add("-cp");
        command.add(System.getProperty("java.class.path"));
        command.add(main.getName());
        arguments.forEach((key, value) -> command.add(key + "=" + value));
        try {
            Process process = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            return new ChildJvm(main.getSimpleName(), process);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void read() {
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.startsWith(FIGURES)) {
                    figures = line.substring(FIGURES.length());
                } else if (line.startsWith(REACHED)) {
                    String[] words = line.split(" ", -1);
                    reached.put(words[1], Long.parseLong(words[2]));
                } else {
                    keep(line);
                }
            }
        } catch (IOException e) {
            keep("its output broke off: " + e);
        }
    }

    private void keep(String line) {
        synchronized (tail) {
            tail.add(line);
            if (tail.size() > 40) {
                tail.remove(0);
            }
        }
    }

    public long pid() {
        return process.pid();
    }

    public boolean alive() {
        return process.isAlive();
    }

    /** When the child said that it reached this point, in its {@link ChildReport#now}; null: not yet. */
    public @Nullable Long reached(String point) {
        return reached.get(point);
    }

    /** Waits until the child says that it reached this point. */
    public long awaitReached(String point, Duration limit) throws InterruptedException {
        long end = System.nanoTime() + limit.toNanos();
        while (true) {
            Long at = reached.get(point);
            if (at != null) {
                return at;
            }
            if (!process.isAlive() || System.nanoTime() > end) {
                reader.join(1_000);
                throw new IllegalStateException(name + " did not reach " + point + ": " + output());
            }
            Thread.sleep(1);
        }
    }

    /** Ends the child as a crash would (SIGKILL). */
    public void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
        reader.join();
    }

    /**
     * Waits for the end, and returns the figures.
     *
     * @throws IllegalStateException it failed, or did not end in time, or gave none; with the end of its output
     */
    public Map<String, Double> await(Duration limit) throws InterruptedException {
        boolean ended = process.waitFor(limit.toNanos(), TimeUnit.NANOSECONDS);
        if (!ended) {
            process.destroyForcibly();
        }
        reader.join();
        Runtime.getRuntime().removeShutdownHook(hook);
        String said = figures;
        if (!ended || process.exitValue() != 0 || said == null) {
            throw new IllegalStateException(
                    name + (ended ? " ended with " + process.exitValue() : " did not end within " + limit)
                            + (said == null ? " and gave no figures" : "") + ":\n" + output());
        }
        return parse(said);
    }

    private String output() {
        synchronized (tail) {
            return String.join("\n", tail);
        }
    }

    private static Map<String, Double> parse(String json) {
        try {
            Map<String, Double> values = new LinkedHashMap<>();
            JsonNode node = JSON.readTree(json);
            node.properties()
                    .forEach(
                            field -> values.put(field.getKey(), field.getValue().asDouble()));
            return values;
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("figures that cannot be read: " + json, e);
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
