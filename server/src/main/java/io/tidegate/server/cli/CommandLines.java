package io.tidegate.server.cli;

import io.tidegate.server.log.LogFormat;
import io.tidegate.server.log.LogLevel;
import io.tidegate.server.log.Logging;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.TidegateException;
import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.RunLast;
import picocli.CommandLine.ScopeType;

/** Builds the command line: the commands, how their errors are printed, and the exit status of each. */
public final class CommandLines {

    private CommandLines() {}

    public static CommandLine create(Wiring wiring, Terminal terminal, PrintWriter out, PrintWriter err) {
        Root root = new Root();
        CommandLine state = new CommandLine(new StateCommand())
                .addSubcommand(new StateCommand.Show(wiring))
                .addSubcommand(new StateCommand.Reset(wiring))
                .addSubcommand(new StateCommand.Export(wiring))
                .addSubcommand(new StateCommand.Import(wiring));
        CommandLine line = new CommandLine(root)
                .addSubcommand(new InitCommand(wiring, terminal))
                .addSubcommand(new CheckCommand(wiring))
                .addSubcommand(new RunCommand(wiring, ProcessEnd.ofThisProcess()))
                .addSubcommand(new StatusCommand(wiring, terminal, StatusCommand.Pause.forEver()))
                .addSubcommand(new RemoveCommand(wiring, terminal))
                .addSubcommand(new ResnapshotCommand(wiring))
                .addSubcommand(state)
                .addSubcommand(new VersionCommand(wiring));
        line.setOut(out);
        line.setErr(err);
        line.setCaseInsensitiveEnumValuesAllowed(true);
        line.setExecutionStrategy(parsed -> {
            Logging.configure(root.logLevel, root.logFormat, err);
            return new RunLast().execute(parsed);
        });
        line.setExecutionExceptionHandler((failure, command, parsed) -> {
            TidegateException error = failure instanceof TidegateException known ? known : unexpected(failure);
            Errors.print(error, command.getErr());
            if (root.logLevel == LogLevel.DEBUG) {
                failure.printStackTrace(command.getErr());
            }
            return error.code().exitStatus();
        });
        return line;
    }

    private static TidegateException unexpected(Exception failure) {
        if (failure instanceof InterruptedException) {
            Thread.currentThread().interrupt();
        }
        return new TidegateException(ErrorCode.INTERNAL, failure.toString(), failure);
    }

    /** The program without a command: it prints what there is. */
    @Command(
            name = "tidegate",
            description =
                    "Reads the changes of a database, in order, and delivers them to another system. Nothing is lost.",
            mixinStandardHelpOptions = false,
            footerHeading = "%nExamples:%n",
            footer = {
                "  tidegate demo                     See it work, with a database of its own.",
                "  tidegate init postgresql://cdc@db1/shop -o orders.yaml",
                "                                    Look at a database and write a pipeline's file.",
                "  tidegate check orders.yaml        Everything that is missing, each with what mends it.",
                "  tidegate run orders.yaml          Run until stopped.",
                "  tidegate status --watch           How it is, while it runs.",
                "",
                "Exit status: 0 done, 2 configuration or usage, 3 preflight, 4 state or position,",
                "5 unavailable, 6 refused or unreadable data, 7 a fault in Tidegate; docs/errors.md."
            })
    static final class Root implements Runnable {

        @Option(
                names = "--log-level",
                scope = ScopeType.INHERIT,
                paramLabel = "error|warn|info|debug",
                defaultValue = "info",
                description = "What is logged, to standard error. Default: info.")
        LogLevel logLevel = LogLevel.INFO;

        @Option(
                names = "--log-format",
                scope = ScopeType.INHERIT,
                paramLabel = "text|json",
                defaultValue = "text",
                description = "How it is logged. Default: text.")
        LogFormat logFormat = LogFormat.TEXT;

        @Option(
                names = {"-h", "--help"},
                scope = ScopeType.INHERIT,
                usageHelp = true,
                description = "Shows this help.")
        boolean help;

        @CommandLine.Spec
        CommandLine.Model.@org.jspecify.annotations.Nullable CommandSpec spec;

        @Override
        public void run() {
            CommandLine line = java.util.Objects.requireNonNull(spec).commandLine();
            throw new CommandLine.ParameterException(line, "Which command? See the list below.");
        }
    }
}
