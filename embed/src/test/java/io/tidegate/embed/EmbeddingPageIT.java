package io.tidegate.embed;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidegate.testkit.await.Await;
import io.tidegate.testkit.postgres.SharedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The program on the page is compiled as it stands there, and run in a process of its own. */
class EmbeddingPageIT {

    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final int LINES_MAX = 25;
    private static final int SIGTERM_STATUS = 128 + 15;

    @TempDir
    Path folder;

    @Test
    void theProgramOnThePageDeliversTheRowsThenEachChangeAndGoesOnWhereItWas() throws Exception {
        compile(program());
        try (SharedPostgres.Database database = SharedPostgres.version(17).fresh()) {
            database.execute(
                    "CREATE TABLE orders (id int PRIMARY KEY, item text)", "INSERT INTO orders VALUES (1, 'first')");
            Path first = run(database, output -> {
                awaitLine(output, "\"op\":\"r\"", "\"first\"");
                database.execute(
                        "INSERT INTO orders VALUES (2, 'second')", "UPDATE orders SET item = 'new' WHERE id = 1");
                awaitLine(output, "\"op\":\"u\"", "\"new\"");
            });
            assertThat(read(first).lines().filter(line -> line.startsWith("{"))).hasSize(3);
            database.execute("DELETE FROM orders WHERE id = 2");
            Path second = run(database, output -> awaitLine(output, "\"op\":\"d\"", "\"id\":2"));
            assertThat(read(second).lines().filter(line -> line.startsWith("{")))
                    .as("nothing that was delivered before a stop comes again")
                    .hasSize(1);
        }
    }

    private interface Meanwhile {
        void run(Path output) throws Exception;
    }

    /** Runs the program until SIGTERM; gives what it printed. */
    private Path run(SharedPostgres.Database database, Meanwhile meanwhile) throws Exception {
        Path output = Files.createTempFile(folder, "orders-", ".out");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx128m",
                        "-cp",
                        folder + ":" + System.getProperty("java.class.path"),
                        "Orders",
                        "postgresql://postgres@127.0.0.1:" + database.server().port() + "/" + database.name()
                                + "?sslmode=disable",
                        folder.resolve("state").toString())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            meanwhile.run(output);
            process.destroy();
            assertThat(process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).isEqualTo(SIGTERM_STATUS);
            return output;
        } finally {
            process.destroyForcibly();
        }
    }

    private static void awaitLine(Path output, String... parts) {
        Await.until(
                "a line with " + String.join(" and ", parts),
                LIMIT,
                () -> read(output)
                        .lines()
                        .anyMatch(line -> List.of(parts).stream().allMatch(line::contains)));
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String program() {
        Matcher block = Pattern.compile("```java\n(import .*?)```", Pattern.DOTALL)
                .matcher(read(Path.of("../docs/embedding.md")));
        assertThat(block.find()).as("a program on the page").isTrue();
        String program = block.group(1);
        assertThat(program.lines().count()).as("short enough to be read").isLessThanOrEqualTo(LINES_MAX);
        return program;
    }

    private void compile(String program) throws IOException {
        Path source = Files.writeString(folder.resolve("Orders.java"), program);
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        int status = compiler.run(
                null,
                null,
                null,
                "-Xlint:all",
                "-Werror",
                "-proc:none",
                "-cp",
                System.getProperty("java.class.path"),
                "-d",
                folder.toString(),
                source.toString());
        assertThat(status).as("the compiler's status").isZero();
    }
}
