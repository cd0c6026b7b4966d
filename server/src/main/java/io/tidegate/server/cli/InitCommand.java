package io.tidegate.server.cli;

import io.tidegate.server.config.FileFailure;
import io.tidegate.server.config.PipelineSettings;
import io.tidegate.spi.Discovery;
import io.tidegate.spi.Discovery.Table;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.Secret;
import io.tidegate.spi.SourceConnector;
import io.tidegate.spi.TidegateException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Looks at a database and writes a pipeline's file for it. Changes nothing there; no secret is written or printed. */
@Command(
        name = "init",
        description = {
            "Looks at a database, shows its tables and what a pipeline of them lacks, and writes the pipeline's file.",
            "Changes nothing in the database. The password comes from the variable PGPASSWORD, or is asked for; the file"
                    + " refers to the variable."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  tidegate init postgresql://cdc@db1:5432/shop -o orders.yaml",
            "  tidegate init --tables public.orders,'public.cust*' postgresql://cdc@db1/shop",
            "  tidegate init --sink stdout -o - postgresql://cdc@db1/shop",
            "",
            "Exit status 3 if something is missing; the file is written all the same."
        })
final class InitCommand extends PrintingCommand implements Callable<Integer> {

    private static final Pattern DATABASE = Pattern.compile("[A-Za-z:]+//[^/]*/([^/?#]+).*");
    private static final String STDOUT = "-";
    private static final int NAME_CHARS_MAX = 40;

    private final Wiring wiring;
    private final Terminal terminal;

    @Parameters(paramLabel = "URL", description = "Where the database is: postgresql://user@host:5432/database.")
    String url = "";

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FILE",
            defaultValue = "pipeline.yaml",
            description = "The file to write; - is standard output. Default: ${DEFAULT-VALUE}.")
    String output = "pipeline.yaml";

    @Option(names = "--force", description = "Writes over a file that is there.")
    boolean force;

    @Option(
            names = "--tables",
            paramLabel = "PATTERN",
            split = ",",
            description = "Which tables: schema.table, where * stands for any characters and ? for one. Default: all.")
    List<String> tables = List.of();

    @Option(
            names = "--sink",
            paramLabel = "file|stdout",
            defaultValue = "file",
            description = "Where changes go. Default: file, in the folder data.")
    InitSink sink = InitSink.FILE;

    @Option(names = "--pipeline", paramLabel = "NAME", description = "The pipeline's name. Default: the database's.")
    @Nullable
    String pipeline;

    @Option(
            names = "--password-env",
            paramLabel = "NAME",
            defaultValue = "PGPASSWORD",
            description = "The environment variable that holds the password. Default: ${DEFAULT-VALUE}.")
    String passwordVariable = "PGPASSWORD";

    InitCommand(Wiring wiring, Terminal terminal) {
        this.wiring = wiring;
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        SourceConnector source = wiring.sourceOf(url);
        checkNames();
        Path file = STDOUT.equals(output) ? null : Path.of(output);
        if (file != null && Files.exists(file) && !force) {
            throw exists(file);
        }
        Path folder = file == null
                ? Path.of("").toAbsolutePath()
                : Objects.requireNonNull(file.toAbsolutePath().normalize().getParent(), "a file is in a folder");
        Discovery found = discover(source, folder);
        PrintWriter report = file == null ? err() : out();
        print(found, report);
        if (found.tables().stream().noneMatch(Table::captured)) {
            throw new TidegateException(
                    ErrorCode.PREFLIGHT,
                    "None of these tables can be captured, so no file is written.",
                    "Mend what is said beside them, or choose others with --tables.",
                    null);
        }
        String text = InitFile.text(file == null ? "FILE" : output, name(), source.name(), found, sink);
        if (file == null) {
            out().print(text);
            out().flush();
        } else {
            write(file, text);
            report.println();
            report.println("Written: " + output + ". Next: tidegate check " + output);
        }
        sayVariable(found, report);
        return Findings.failed(found.findings()) ? ErrorCode.PREFLIGHT.exitStatus() : 0;
    }

    private void checkNames() {
        if (!passwordVariable.matches("[A-Za-z_][A-Za-z0-9_]*")) {
            throw new TidegateException(
                    ErrorCode.CONFIG_INVALID,
                    "--password-env is not the name of an environment variable.",
                    "Give the variable's name, never the password itself.",
                    null);
        }
        if (!PipelineSettings.isName(name())) {
            throw new TidegateException(
                    ErrorCode.CONFIG_INVALID,
                    "--pipeline: a name has 1 to 40 lower-case letters, digits, _ and -.",
                    "Write such a name, for example orders.",
                    null);
        }
    }

    /** As it was asked for, else made of the last part of the URL. */
    private String name() {
        if (pipeline != null) {
            return pipeline;
        }
        Matcher database = DATABASE.matcher(url);
        String name = database.matches()
                ? database.group(1).toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9_-]+", "_")
                : "pipeline";
        return name.length() > NAME_CHARS_MAX ? name.substring(0, NAME_CHARS_MAX) : name;
    }

    private Discovery discover(SourceConnector source, Path folder) {
        String value = wiring.variable(passwordVariable);
        Secret password = value == null || value.isEmpty() ? null : new Secret(value);
        try {
            return source.discover(request(password, folder));
        } catch (TidegateException e) {
            if (e.code() != ErrorCode.AUTHENTICATION || password != null) {
                throw e;
            }
            Secret typed = terminal.present() ? terminal.secret("Password (it is not shown):") : null;
            if (typed == null) {
                throw new TidegateException(
                        e.code(),
                        String.valueOf(e.getMessage()),
                        "If the role has a password, set " + passwordVariable
                                + " to it, or name the variable that holds it with --password-env. " + e.advice(),
                        e);
            }
            return source.discover(request(typed, folder));
        }
    }

    private Discovery.Request request(@Nullable Secret password, Path folder) {
        return new Discovery.Request(url, password, "${env:" + passwordVariable + "}", name(), tables, folder);
    }

    private static void print(Discovery found, PrintWriter out) {
        out.println(InitFile.plain(found.place()));
        List<String> captured = new ArrayList<>();
        List<String> left = new ArrayList<>();
        long others = 0;
        for (Table table : found.tables()) {
            if (table.captured()) {
                captured.add(table.name() + ": " + InitFile.measures(table));
            } else if (table.selected()) {
                left.add(table.name() + ": " + InitFile.obstacle(table));
            } else {
                others++;
            }
        }
        block("Tables", captured, out);
        block("Left out", left, out);
        if (others > 0) {
            block("Not selected", List.of(others + " more"), out);
        }
        block("Already there", found.existing(), out);
        if (!found.findings().isEmpty()) {
            out.println();
            out.println("Missing, or to be looked at:");
            Findings.print(found.findings(), out);
        }
    }

    private static void block(String title, List<String> lines, PrintWriter out) {
        if (!lines.isEmpty()) {
            out.println();
            out.println(title + ":");
            lines.forEach(line -> out.println("    " + InitFile.plain(line)));
        }
    }

    private void sayVariable(Discovery found, PrintWriter report) {
        String reference = "${env:" + passwordVariable + "}";
        boolean used = found.settings().stream()
                .anyMatch(entry -> entry.active() && entry.text().equals(reference));
        if (used && wiring.variable(passwordVariable) == null) {
            report.println("The file holds no password: set the variable " + passwordVariable + " to it before that.");
        }
    }

    private void write(Path file, String text) {
        OpenOption how = force ? StandardOpenOption.CREATE : StandardOpenOption.CREATE_NEW;
        try {
            Files.writeString(
                    file,
                    text,
                    StandardCharsets.UTF_8,
                    how,
                    StandardOpenOption.WRITE,
                    StandardOpenOption.TRUNCATE_EXISTING);
        } catch (FileAlreadyExistsException e) {
            throw exists(file);
        } catch (NoSuchFileException e) {
            throw new TidegateException(
                    ErrorCode.CONFIG_UNREADABLE, file + " cannot be written: its folder does not exist.", e);
        } catch (IOException e) {
            throw new TidegateException(
                    ErrorCode.CONFIG_UNREADABLE, file + " cannot be written: " + FileFailure.describe(e) + ".", e);
        }
    }

    private static TidegateException exists(Path file) {
        return new TidegateException(
                ErrorCode.CONFIG_INVALID,
                file + " is there already, and was left as it is.",
                "Give another file with -o, or --force to write over it.",
                null);
    }
}
