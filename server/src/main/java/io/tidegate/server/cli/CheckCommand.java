package io.tidegate.server.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.tidegate.server.config.ConfiguredPipeline;
import io.tidegate.server.json.Json;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.Finding;
import io.tidegate.spi.Finding.Severity;
import io.tidegate.spi.TidegateException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The preflight: everything that is missing, at once, and nothing is changed. */
@Command(
        name = "check",
        description =
                "Prints everything that a pipeline lacks, each with the statement that mends it. Changes nothing.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  tidegate check orders.yaml",
            "  tidegate check --json orders.yaml | jq '.[] | select(.severity == \"error\")'",
            "",
            "Exit status 3 if an error is among the findings."
        })
final class CheckCommand extends PrintingCommand implements Callable<Integer> {

    private final Wiring wiring;

    @Parameters(paramLabel = "FILE", description = "The pipeline's file.")
    Path file = Path.of("");

    @Option(names = "--json", description = "Prints a JSON array.")
    boolean json;

    CheckCommand(Wiring wiring) {
        this.wiring = wiring;
    }

    @Override
    public Integer call() {
        ConfiguredPipeline pipeline = wiring.load(file);
        List<Finding> findings = new ArrayList<>();
        findings.addAll(
                tried("source " + pipeline.sourceName(), () -> pipeline.source().check(wiring.show(pipeline))));
        findings.addAll(
                tried("sink " + pipeline.sinkName(), () -> pipeline.sink().check(pipeline.source())));
        if (json) {
            out().println(Json.print(array(findings)));
        } else {
            print(pipeline, findings, out());
        }
        return Findings.failed(findings) ? ErrorCode.PREFLIGHT.exitStatus() : 0;
    }

    /** One side that cannot even be looked at is a finding too: the other side is still checked. */
    private static List<Finding> tried(String object, Supplier<List<Finding>> check) {
        try {
            return check.get();
        } catch (TidegateException e) {
            return List.of(Finding.error(e.code(), object, String.valueOf(e.getMessage()), e.advice()));
        }
    }

    private static void print(ConfiguredPipeline pipeline, List<Finding> findings, PrintWriter out) {
        Findings.print(findings, out);
        out.println("pipeline " + pipeline.name() + ": " + count(findings, Severity.ERROR) + ", "
                + count(findings, Severity.WARNING));
    }

    private static String count(List<Finding> findings, Severity severity) {
        long count = findings.stream().filter(f -> f.severity() == severity).count();
        String word = severity.toString().toLowerCase(Locale.ROOT);
        return count + " " + word + (count == 1 ? "" : "s");
    }

    private static ArrayNode array(List<Finding> findings) {
        ArrayNode array = Json.array();
        for (Finding finding : findings) {
            ObjectNode node = array.addObject();
            node.put("severity", finding.severity().toString().toLowerCase(Locale.ROOT));
            node.put("code", finding.code().code());
            node.put("object", finding.object());
            node.put("problem", finding.problem());
            node.put("cure", finding.cure());
        }
        return array;
    }
}
