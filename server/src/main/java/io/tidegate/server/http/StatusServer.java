package io.tidegate.server.http;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.tidegate.engine.PipelineStatus;
import io.tidegate.server.json.Json;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.TidegateException;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;

/**
 * Serves {@code /healthz}, {@code /readyz}, {@code /metrics} and {@code /api/pipelines}. It reads published snapshots
 * only, so no pipeline waits for it (I14).
 */
public final class StatusServer implements AutoCloseable {

    private static final Logger LOG = System.getLogger(StatusServer.class.getName());

    private static final int THREADS = 4;
    private static final String API = "/api/pipelines";
    private static final String JSON = "application/json";
    private static final String TEXT = "text/plain";
    private static final Answer NOT_FOUND =
            new Answer(404, TEXT, "there are /healthz, /readyz, /metrics, " + API + " and " + API + "/NAME\n");

    private final HttpServer server;
    private final ExecutorService threads;
    private final Supplier<List<PipelineStatus>> pipelines;
    private final Metrics metrics;

    /** @param type of the body */
    private record Answer(int status, String type, String body) {}

    private StatusServer(HttpServer server, Supplier<List<PipelineStatus>> pipelines) {
        this.server = server;
        this.pipelines = pipelines;
        this.metrics = new Metrics();
        this.threads = Executors.newFixedThreadPool(THREADS, task -> {
            Thread thread = new Thread(task, "http");
            thread.setDaemon(true);
            return thread;
        });
    }

    /**
     * Listens from here on.
     *
     * @throws TidegateException {@link ErrorCode#CONFIG_INVALID} if it cannot listen there
     */
    public static StatusServer start(HttpAddress address, Supplier<List<PipelineStatus>> pipelines) {
        HttpServer server;
        try {
            server = HttpServer.create(new InetSocketAddress(address.host(), address.port()), 0);
        } catch (IOException | IllegalArgumentException e) {
            throw new TidegateException(
                    ErrorCode.CONFIG_INVALID,
                    "HTTP cannot listen on " + address + ": " + e.getMessage() + ".",
                    "Is another process there? Give another address with --http HOST:PORT, or --http off.",
                    e);
        }
        StatusServer started = new StatusServer(server, pipelines);
        server.setExecutor(started.threads);
        server.createContext("/", started::handle);
        server.start();
        return started;
    }

    /** The one that was given, or found. */
    public int port() {
        return server.getAddress().getPort();
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            Answer answer;
            try {
                answer = answer(
                        exchange.getRequestMethod(), exchange.getRequestURI().getPath());
            } catch (RuntimeException e) {
                LOG.log(Level.ERROR, "a request could not be answered", e);
                answer = new Answer(500, TEXT, "this request could not be answered; see the log\n");
            }
            byte[] body = answer.body().getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", answer.type() + "; charset=utf-8");
            exchange.getResponseHeaders().set("Cache-Control", "no-store");
            boolean head = exchange.getRequestMethod().equals("HEAD");
            exchange.sendResponseHeaders(answer.status(), head || body.length == 0 ? -1 : body.length);
            if (!head) {
                exchange.getResponseBody().write(body);
            }
        }
    }

    private Answer answer(String method, String path) {
        if (!method.equals("GET") && !method.equals("HEAD")) {
            return new Answer(405, TEXT, "only GET\n");
        }
        List<PipelineStatus> status = pipelines.get();
        return switch (path) {
            case "/healthz" -> health(status);
            case "/readyz" ->
                new Answer(Readiness.ready(status) ? 200 : 503, JSON, Json.print(Readiness.toJson(status)) + "\n");
            case API -> new Answer(200, JSON, Json.print(StatusJson.toJson(status)) + "\n");
            case "/metrics" -> new Answer(200, "text/plain; version=0.0.4", metrics.scrape(status));
            default -> path.startsWith(API + "/") ? pipeline(path.substring(API.length() + 1), status) : NOT_FOUND;
        };
    }

    private static Answer health(List<PipelineStatus> status) {
        List<String> dead = Liveness.dead(status, Instant.now());
        return new Answer(dead.isEmpty() ? 200 : 503, JSON, Json.print(Liveness.toJson(dead)) + "\n");
    }

    private static Answer pipeline(String name, List<PipelineStatus> status) {
        return status.stream()
                .filter(pipeline -> pipeline.pipeline().equals(name))
                .findFirst()
                .map(pipeline -> new Answer(200, JSON, Json.print(StatusJson.toJson(pipeline)) + "\n"))
                .orElseGet(() -> new Answer(
                        404,
                        TEXT,
                        "this process does not run such a pipeline; it runs: "
                                + String.join(
                                        ", ",
                                        status.stream()
                                                .map(PipelineStatus::pipeline)
                                                .toList())
                                + "\n"));
    }
}
