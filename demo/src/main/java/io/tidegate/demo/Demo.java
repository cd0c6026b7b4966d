package io.tidegate.demo;

import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.TidegateException;
import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The program {@code tidegate demo}. Changes go to standard output, everything else to standard error. */
@Command(
        name = "tidegate demo",
        description = {
            "Shows Tidegate at work on a database of its own: PostgreSQL with a small shop, a snapshot of it, then inserts,"
                    + " updates and deletes as they are committed.",
            "On a terminal the changes are lines to read, into a pipe they are lines of JSON."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  tidegate demo                                 Until Ctrl-C.",
            "  tidegate demo --seconds 20 | jq -c '[.op, .key]'",
            "  tidegate demo --seconds 60 --kill-every 10    Is anything missing?",
            "",
            "Nothing stays behind. Exit status: 0 done, 1 something is missing, others as of 'tidegate run'."
        })
public final class Demo implements Callable<Integer> {

    private static final int SECONDS_MAX = 7 * 24 * 3600;
    private static final int RATE_MAX = 20_000;

    @Spec
    @Nullable
    CommandSpec spec;

    @Option(
            names = "--seconds",
            paramLabel = "N",
            description = "How long the load runs after the snapshot; then everything is delivered and the demo stops."
                    + " Default: until Ctrl-C.")
    @Nullable
    Integer seconds;

    @Option(
            names = "--rate",
            paramLabel = "N",
            defaultValue = "300",
            description = "Changes a second. Default: ${DEFAULT-VALUE}.")
    int rate;

    @Option(
            names = "--kill-every",
            paramLabel = "N",
            description = {
                "Kill the engine's process (SIGKILL) every N seconds and start it again. At the end the source is compared"
                        + " with what was delivered, in one line on standard error. The changes are lines of JSON then, also"
                        + " on a terminal."
            })
    @Nullable
    Integer killEvery;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Shows this help.")
    boolean help;

    private Demo() {}

    public static void main(String[] args) {
        PrintWriter err = new PrintWriter(
                new OutputStreamWriter(new FileOutputStream(FileDescriptor.err), StandardCharsets.UTF_8), true);
        CommandLine line = new CommandLine(new Demo());
        line.setErr(err);
        System.exit(line.execute(args));
    }

    @Override
    public Integer call() throws InterruptedException {
        DemoOptions options = options();
        PrintWriter err = Objects.requireNonNull(spec).commandLine().getErr();
        DemoRun run = new DemoRun(
                options,
                new BufferedOutputStream(new FileOutputStream(FileDescriptor.out)),
                notice -> err.println("tidegate demo: " + notice));
        EndOfProcess end = EndOfProcess.watch(run::signal);
        return end.ended(status(run, err));
    }

    private static int status(DemoRun run, PrintWriter err) {
        try {
            return run.run();
        } catch (TidegateException e) {
            return print(e, err);
        } catch (IOException e) {
            return print(
                    new TidegateException(
                            ErrorCode.INTERNAL,
                            "the demo's own files or processes failed: " + e.getMessage(),
                            "Is the temporary folder writable, and is there space in it?",
                            e),
                    err);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return print(new TidegateException(ErrorCode.INTERNAL, "the demo was interrupted", e), err);
        } catch (RuntimeException e) {
            return print(new TidegateException(ErrorCode.INTERNAL, e.toString(), e), err);
        }
    }

    private static int print(TidegateException error, PrintWriter err) {
        err.println(error.code().code() + ": " + error.getMessage());
        err.println(error.advice());
        return error.code().exitStatus();
    }

    private DemoOptions options() {
        checkRange("--seconds", seconds, SECONDS_MAX);
        checkRange("--rate", rate, RATE_MAX);
        checkRange("--kill-every", killEvery, SECONDS_MAX);
        if (seconds != null && killEvery != null && killEvery >= seconds) {
            throw refused("--kill-every " + killEvery + " never comes in --seconds " + seconds);
        }
        return new DemoOptions(
                Optional.ofNullable(seconds).map(Duration::ofSeconds),
                rate,
                Optional.ofNullable(killEvery).map(Duration::ofSeconds));
    }

    private void checkRange(String name, @Nullable Integer value, int max) {
        if (value != null && (value < 1 || value > max)) {
            throw refused(name + " is " + value + ", and must be 1 to " + max);
        }
    }

    private ParameterException refused(String problem) {
        return new ParameterException(Objects.requireNonNull(spec).commandLine(), problem);
    }
}
