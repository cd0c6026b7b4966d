package io.tidegate.server.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.tidegate.server.json.Json;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** What this is, for reports. */
@Command(
        name = "version",
        description = "Prints the version, that of Java, and the connectors that are there.",
        footerHeading = "%nExamples:%n",
        footer = {"  tidegate version", "  tidegate version --json"})
final class VersionCommand extends PrintingCommand implements Callable<Integer> {

    private final Wiring wiring;

    @Option(names = "--json", description = "Prints a JSON object.")
    boolean json;

    VersionCommand(Wiring wiring) {
        this.wiring = wiring;
    }

    @Override
    public Integer call() {
        String packaged = VersionCommand.class.getPackage().getImplementationVersion();
        String version = packaged == null ? "unpackaged" : packaged;
        String java = Runtime.version().toString();
        if (json) {
            ObjectNode node = Json.object();
            node.put("version", version).put("java", java);
            wiring.connectors().sources().keySet().forEach(node.putArray("sources")::add);
            wiring.connectors().sinks().keySet().forEach(node.putArray("sinks")::add);
            out().println(Json.print(node));
        } else {
            out().println("tidegate " + version + " on Java " + java);
            out().println("sources: "
                    + String.join(", ", wiring.connectors().sources().keySet()));
            out().println("sinks: "
                    + String.join(", ", wiring.connectors().sinks().keySet()));
        }
        return 0;
    }
}
