package io.tidegate.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidegate.engine.PipelineStatus;
import io.tidegate.engine.PipelineStatus.State;
import io.tidegate.engine.env.RealDisk;
import io.tidegate.server.FakeConnectors;
import io.tidegate.server.StatusSamples;
import io.tidegate.server.http.HttpAddress;
import io.tidegate.server.http.StatusServer;
import io.tidegate.spi.Secret;
import io.tidegate.spi.TidegateException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class StatusCommandTest {

    @TempDir
    Path folder;

    private volatile List<PipelineStatus> pipelines = List.of(StatusSamples.of("orders", State.RUNNING));
    private final StatusServer server = StatusServer.start(new HttpAddress("127.0.0.1", 0), () -> pipelines);
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private final List<Runnable> betweenLooks = new ArrayList<>();
    private boolean terminal;

    @AfterEach
    void close() {
        server.close();
    }

    @Test
    void showsALineForEachPipelineAndAllThereIsToSay() {
        pipelines = List.of(
                StatusSamples.of("orders", State.RUNNING), PipelineStatus.starting("new", java.time.Instant.EPOCH));

        assertThat(execute()).isEqualTo(1);

        assertThat(out.toString().lines().map(String::stripTrailing))
                .containsSequence(
                        "PIPELINE  STATE     DELIVERED  DELAY   P50     P99     BEHIND  LOG KEPT             RECONNECTS",
                        "orders    running   77,000     0.25 s  0.13 s  0.90 s  40      4.0 KiB of 10.0 GiB  3",
                        "new       starting  0          -       -       -       -       -                    0")
                .containsSequence(
                        "orders",
                        "  ready",
                        "  doing: reads",
                        "  12 of 20 splits done",
                        "  split log: settled 0/30, persisted 0/20, acknowledged 0/8 (waits for 7.00 s)",
                        "  2 batches in flight, 300 B; 5 refusals, 6 changes with nothing to do",
                        "  snapshot [###-----------------]  18 %  750 of about 4,000 rows, 25 rows/s, 2 min left",
                        "      public.orders [###############-----]  75 %  750 of about 1,000 rows, 25 rows/s, 10 s left",
                        "      0 tables done, 1 wait",
                        "  problem TG-TABLE-LOST table a: its key is gone",
                        "      ALTER TABLE a …;",
                        "  error TG-SINK-FAILED, 3 times, last 1970-01-01T00:00:03Z, first 1970-01-01T00:00:01Z:",
                        "      full",
                        "      It is tried again.")
                .containsSequence("new", "  not ready: is starting");
    }

    @Test
    void isZeroWhenAllThatIsShownIsReadyAndOneIfSomethingIsNot() throws IOException {
        pipelines = List.of(StatusSamples.of("orders", State.RUNNING), StatusSamples.of("customers", State.STALLED));

        assertThat(execute()).isEqualTo(1);
        assertThat(out.toString()).contains("not ready: is stalled: the sink's flush has not returned");
        assertThat(execute(file("orders"))).isZero();
        assertThat(execute(file("customers"))).isEqualTo(1);
    }

    @Test
    void aFileOnlySaysWhichPipelineAndNeedsNeitherItsSecretsNorItsConnectors() throws IOException {
        pipelines = List.of(StatusSamples.of("orders", State.RUNNING), StatusSamples.of("customers", State.RUNNING));
        Path file = Files.writeString(
                folder.resolve("elsewhere.yaml"),
                "pipeline: orders\nsource: {unheard-of: {password: \"${env:NOT_HERE}\"}}\nsink: {bucket: }\n");

        assertThat(execute("--json", file.toString())).isZero();

        assertThat(out.toString()).contains("\"orders\"").doesNotContain("customers");
    }

    @Test
    void aPipelineThatTheProcessDoesNotRunIsOneClearError() throws IOException {
        assertThat(execute(file("customers"))).isEqualTo(5);

        assertThat(err.toString())
                .contains("TG-STATUS-UNAVAILABLE")
                .contains("does not run pipeline customers but orders");
        assertThat(out.toString()).isEmpty();
    }

    @Test
    void aProcessThatCannotBeReachedIsOneClearError() {
        server.close();

        assertThat(execute()).isEqualTo(5);

        assertThat(err.toString().lines()).hasSize(2);
        assertThat(err.toString())
                .contains("TG-STATUS-UNAVAILABLE: the process at http://127.0.0.1:" + server.port()
                        + "/ cannot be reached")
                .contains("--url");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "127.0.0.1:8686", "ftp://a", "http://", "http://a b"})
    void whatIsNoAddressIsRefused(String url) {
        assertThat(command().execute("--url", url)).isEqualTo(2);
    }

    @Test
    void watchShowsItAgainAndAgainWhateverItSees() {
        List<PipelineStatus> running = pipelines;
        betweenLooks.add(() -> pipelines = List.of(StatusSamples.of("orders", State.STALLED)));
        betweenLooks.add(() -> pipelines = running);

        assertThat(execute("--watch")).isZero();

        assertThat(out.toString().lines().filter(line -> line.startsWith("PIPELINE")))
                .hasSize(3);
        assertThat(out.toString()).contains("not ready: is stalled").doesNotContain("\u001b");
    }

    @Test
    void watchGoesOnWhileTheProcessCannotBeReached() {
        betweenLooks.add(server::close);
        betweenLooks.add(() -> {});

        assertThat(execute("--watch")).isEqualTo(5);

        assertThat(out.toString()).contains("PIPELINE");
        assertThat(err.toString().lines().filter(line -> line.contains("cannot be reached")))
                .hasSize(2);
    }

    @Test
    void watchClearsTheScreenOfATerminal() {
        terminal = true;

        execute("--watch");

        assertThat(out.toString()).startsWith("\u001b[H\u001b[2JPIPELINE");
    }

    private String file(String name) throws IOException {
        return Files.writeString(
                        folder.resolve(name + ".yaml"),
                        "pipeline: " + name + "\nsource: {ocean: {host: h}}\nsink: {bucket: }\n")
                .toString();
    }

    private int execute(String... args) {
        List<String> all = new ArrayList<>(List.of("--url", "http://127.0.0.1:" + server.port()));
        all.addAll(List.of(args));
        return command().execute(all.toArray(String[]::new));
    }

    private CommandLine command() {
        Wiring wiring = new Wiring(
                new FakeConnectors().connectors(), unset -> null, new RealDisk(), (pipeline, disk, store) -> {
                    throw new UnsupportedOperationException("nothing is started in these tests");
                });
        Terminal person = new Terminal() {
            @Override
            public boolean present() {
                return terminal;
            }

            @Override
            public boolean confirm(String question) {
                throw new UnsupportedOperationException("nothing is asked in these tests");
            }

            @Override
            public Secret secret(String question) {
                throw new UnsupportedOperationException("nothing is asked in these tests");
            }
        };
        AtomicInteger looks = new AtomicInteger();
        StatusCommand.Pause pause = time -> {
            int look = looks.getAndIncrement();
            if (look >= betweenLooks.size()) {
                return false;
            }
            betweenLooks.get(look).run();
            return true;
        };
        return new CommandLine(new StatusCommand(wiring, person, pause))
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .setExecutionExceptionHandler((failure, command, parsed) -> {
                    TidegateException error = (TidegateException) failure;
                    Errors.print(error, command.getErr());
                    return error.code().exitStatus();
                });
    }
}
