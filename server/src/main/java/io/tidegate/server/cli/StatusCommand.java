package io.tidegate.server.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import io.tidegate.server.http.HttpAddress;
import io.tidegate.server.json.Json;
import io.tidegate.spi.TidegateException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What a running process says of its pipelines. */
@Command(
        name = "status",
        description = {
            "Shows how running pipelines are: state, positions, delay, log that the server keeps, snapshot, errors.",
            "Asks the process that runs them, over HTTP. FILE only says which pipelines; without one all are shown."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  tidegate status orders.yaml",
            "  tidegate status --watch",
            "  tidegate status --url http://10.0.0.7:9000 --json | jq '.[].stalled_on'",
            "",
            "Exit status: 0 all that is shown is ready, 1 something is not, 2 usage, 5 the process cannot be reached",
            "or does not run the pipeline. With --watch it goes on until Ctrl-C, whatever it sees."
        })
final class StatusCommand extends PrintingCommand implements Callable<Integer> {

    private static final int NOT_READY = 1;
    private static final Duration EVERY = Duration.ofSeconds(1);

    /** Of a terminal: cursor to the top left, and clear from there. */
    private static final String CLEAR = "\u001b[H\u001b[2J";

    private final Wiring wiring;
    private final Terminal terminal;
    private final Pause pause;

    @Parameters(arity = "0..*", paramLabel = "FILE", description = "The pipelines' files; only their names are read.")
    List<Path> files = List.of();

    @Option(
            names = "--url",
            paramLabel = "http://HOST:PORT",
            defaultValue = "http://" + HttpAddress.DEFAULT,
            description = "Where the process serves HTTP, as given to 'run' with --http. Default: ${DEFAULT-VALUE}.")
    String url = "http://" + HttpAddress.DEFAULT;

    @Option(names = "--watch", description = "Shows it again each second.")
    boolean watch;

    @Option(names = "--json", description = "Prints a JSON array; with --watch one each second.")
    boolean json;

    /** Waits between two looks. */
    interface Pause {
        /** False: look no more. */
        boolean of(Duration time) throws InterruptedException;

        /** Until the process is ended. */
        static Pause forEver() {
            return time -> {
                Thread.sleep(time.toMillis());
                return true;
            };
        }
    }

    StatusCommand(Wiring wiring, Terminal terminal, Pause pause) {
        this.wiring = wiring;
        this.terminal = terminal;
        this.pause = pause;
    }

    @Override
    public Integer call() throws InterruptedException {
        List<String> names = files.stream().map(wiring::name).toList();
        StatusClient client = new StatusClient(url);
        if (!watch) {
            return show(client.fetch(names));
        }
        int status = 0;
        do {
            if (terminal.present() && !json) {
                out().print(CLEAR);
            }
            try {
                status = show(client.fetch(names));
            } catch (TidegateException e) { // it may be starting again
                status = e.code().exitStatus();
                Errors.print(e, err());
            }
        } while (pause.of(EVERY));
        return status;
    }

    private int show(List<JsonNode> pipelines) {
        if (json) {
            ArrayNode array = Json.array();
            pipelines.forEach(array::add);
            out().println(Json.print(array));
        } else {
            out().println(StatusScreen.of(pipelines));
        }
        out().flush();
        boolean ready = !pipelines.isEmpty()
                && pipelines.stream()
                        .allMatch(pipeline -> pipeline.path("ready").asBoolean());
        return ready ? 0 : NOT_READY;
    }
}
