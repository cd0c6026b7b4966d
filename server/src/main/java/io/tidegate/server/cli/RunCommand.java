package io.tidegate.server.cli;

import io.tidegate.server.config.ConfiguredPipeline;
import io.tidegate.server.http.HttpAddress;
import io.tidegate.server.http.StatusServer;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.TidegateException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Runs pipelines until they end, or a signal asks them to stop (I12). */
@Command(
        name = "run",
        description = "Runs one or more pipelines in this process, each on its own, until all have ended.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  tidegate run orders.yaml",
            "  tidegate run --http :9000 orders.yaml customers.yaml",
            "",
            "SIGTERM and SIGINT stop gracefully, within stop_timeout, with exit status 0. A pipeline that stops",
            "with an error leaves the others running; the exit status at the end is that of the first error."
        })
final class RunCommand extends PrintingCommand implements Callable<Integer> {

    private static final Logger LOG = System.getLogger(RunCommand.class.getName());

    /** What closing takes beyond the drain, which the engine bounds by itself. */
    private static final Duration CLOSING = Duration.ofSeconds(2);

    private final Wiring wiring;
    private final ProcessEnd processEnd;

    @Parameters(arity = "1..*", paramLabel = "FILE", description = "The pipelines' files.")
    List<Path> files = List.of();

    @Option(
            names = "--http",
            paramLabel = "HOST:PORT|off",
            defaultValue = HttpAddress.DEFAULT,
            description =
                    "Where /healthz, /readyz, /metrics and /api/pipelines are served; :PORT is on loopback. Default: ${DEFAULT-VALUE}.")
    String http = HttpAddress.DEFAULT;

    RunCommand(Wiring wiring, ProcessEnd processEnd) {
        this.wiring = wiring;
        this.processEnd = processEnd;
    }

    @Override
    public Integer call() throws InterruptedException {
        Optional<HttpAddress> address = HttpAddress.parse(http);
        List<ConfiguredPipeline> pipelines = load();
        PipelineGroup group = new PipelineGroup(wiring::start);
        StatusServer server =
                address.map(at -> StatusServer.start(at, group::status)).orElse(null);
        if (server != null) {
            LOG.log(Level.INFO, () -> "HTTP listens on port " + server.port() + ", as asked with --http " + http);
        }
        Duration timeout = pipelines.stream()
                .map(pipeline -> pipeline.config().stopTimeout())
                .max(Duration::compareTo)
                .orElse(Duration.ZERO)
                .plus(CLOSING);
        AtomicBoolean signalled = new AtomicBoolean();
        Runnable unregister = processEnd.onShutdown().register(() -> {
            signalled.set(true);
            drain(group, timeout);
        });
        try {
            group.start(pipelines);
            group.await();
        } finally {
            if (server != null) {
                server.close();
            }
        }
        if (signalled.get()) {
            // The shutdown ends the process, with this same status.
            return group.exitStatus();
        }
        try {
            unregister.run();
        } catch (IllegalStateException e) {
            // The signal came just now. Nothing runs any more, so its thread ends the process at once.
            LOG.log(Level.DEBUG, "a signal came when all pipelines had ended", e);
            new CountDownLatch(1).await();
        }
        group.firstFailure().ifPresent(error -> Errors.print(error, err()));
        return group.exitStatus();
    }

    private void drain(PipelineGroup group, Duration timeout) {
        int status = ErrorCode.INTERNAL.exitStatus();
        try {
            LOG.log(Level.INFO, "asked to stop: draining");
            group.stop(timeout);
            status = group.exitStatus();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            out().flush();
            err().flush();
            processEnd.halt().accept(status);
        }
    }

    /** All files, so that what is wrong in any of them is said at once. */
    private List<ConfiguredPipeline> load() {
        List<ConfiguredPipeline> loaded = new ArrayList<>();
        List<TidegateException> errors = new ArrayList<>();
        Map<String, Path> names = new HashMap<>();
        for (Path file : files) {
            try {
                ConfiguredPipeline pipeline = wiring.load(file);
                Path before = names.putIfAbsent(pipeline.name(), file);
                if (before != null) {
                    throw new TidegateException(
                            ErrorCode.CONFIG_INVALID,
                            file + ": pipeline: the name " + pipeline.name() + " is that of " + before + " too.",
                            "Give each pipeline a name of its own.",
                            null);
                }
                loaded.add(pipeline);
            } catch (TidegateException e) {
                errors.add(e);
            }
        }
        if (!errors.isEmpty()) {
            errors.subList(1, errors.size()).forEach(error -> Errors.print(error, err()));
            throw errors.get(0);
        }
        return loaded;
    }
}
