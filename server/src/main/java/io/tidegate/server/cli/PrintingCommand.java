package io.tidegate.server.cli;

import java.io.PrintWriter;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** A command that writes data to the standard output of its command line, and remarks to standard error. */
abstract class PrintingCommand {

    @Spec
    @Nullable
    CommandSpec spec;

    final PrintWriter out() {
        return Objects.requireNonNull(spec).commandLine().getOut();
    }

    final PrintWriter err() {
        return Objects.requireNonNull(spec).commandLine().getErr();
    }
}
