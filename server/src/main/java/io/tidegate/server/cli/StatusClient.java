package io.tidegate.server.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.tidegate.server.json.Json;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.TidegateException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Asks a running process for the status of its pipelines. */
final class StatusClient {

    private static final Duration CONNECT_MAX = Duration.ofSeconds(3);
    private static final Duration ANSWER_MAX = Duration.ofSeconds(10);

    private final HttpClient client =
            HttpClient.newBuilder().connectTimeout(CONNECT_MAX).build();
    private final URI address;

    /**
     * Of the process that serves there.
     *
     * @throws TidegateException {@link ErrorCode#CONFIG_INVALID} if that is no address
     */
    StatusClient(String url) {
        this.address = address(url);
    }

    private static URI address(String url) {
        try {
            URI given = URI.create(url);
            if (given.getHost() != null && ("http".equals(given.getScheme()) || "https".equals(given.getScheme()))) {
                return given.resolve("/api/pipelines");
            }
        } catch (IllegalArgumentException e) {
            throw notAnAddress(url, e);
        }
        throw notAnAddress(url, null);
    }

    private static TidegateException notAnAddress(String url, @Nullable Throwable cause) {
        return new TidegateException(
                ErrorCode.CONFIG_INVALID,
                "--url: \"" + url + "\" is not an address.",
                "Write http://HOST:PORT.",
                cause);
    }

    /**
     * Fetches the status of these pipelines, in this order; without names of all.
     *
     * @throws TidegateException {@link ErrorCode#STATUS_UNAVAILABLE}
     */
    List<JsonNode> fetch(List<String> names) throws InterruptedException {
        List<JsonNode> all = new ArrayList<>();
        fetch().forEach(all::add);
        if (names.isEmpty()) {
            return all;
        }
        List<JsonNode> wanted = new ArrayList<>();
        for (String name : names) {
            wanted.add(all.stream()
                    .filter(pipeline -> pipeline.path("pipeline").asText().equals(name))
                    .findFirst()
                    .orElseThrow(() -> unavailable("does not run pipeline " + name + " but " + names(all), null)));
        }
        return wanted;
    }

    private static String names(List<JsonNode> pipelines) {
        return pipelines.isEmpty()
                ? "none"
                : String.join(
                        ", ",
                        pipelines.stream()
                                .map(pipeline -> pipeline.path("pipeline").asText())
                                .toList());
    }

    private JsonNode fetch() throws InterruptedException {
        HttpRequest request =
                HttpRequest.newBuilder(address).timeout(ANSWER_MAX).build();
        try {
            HttpResponse<String> response = client.send(request, HttpResponse.BodyHandlers.ofString());
            JsonNode body = response.statusCode() == 200 ? Json.parse(response.body()) : null;
            if (body == null || !body.isArray()) {
                throw unavailable(
                        "is not one of Tidegate, or an older one: it answers with status " + response.statusCode(),
                        null);
            }
            return body;
        } catch (IOException e) {
            String why = Objects.requireNonNullElse(e.getMessage(), e.getClass().getSimpleName());
            throw unavailable("cannot be reached: " + why, e);
        }
    }

    private TidegateException unavailable(String what, @Nullable Throwable cause) {
        return new TidegateException(
                ErrorCode.STATUS_UNAVAILABLE, "the process at " + address.resolve("/") + " " + what + ".", cause);
    }
}
