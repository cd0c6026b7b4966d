package io.tidegate.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tidegate.engine.PipelineStatus;
import io.tidegate.engine.PipelineStatus.State;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.TidegateException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class StatusServerTest {

    private volatile List<PipelineStatus> pipelines = List.of(status(State.RUNNING));
    private final StatusServer server = StatusServer.start(new HttpAddress("127.0.0.1", 0), () -> pipelines);

    @AfterEach
    void close() {
        server.close();
    }

    @ParameterizedTest
    @EnumSource(State.class)
    void healthIsBadExactlyWhenSomebodyShouldLook(State state) throws Exception {
        pipelines = List.of(status(State.RUNNING), status(state));

        HttpResponse<String> response = get("/healthz");

        boolean look = List.of(State.FAILED, State.STALLED, State.BACKING_OFF).contains(state);
        assertThat(response.statusCode()).isEqualTo(look ? 503 : 200);
    }

    @Test
    void metricsHaveEveryNumberOfAPipeline() throws Exception {
        assertThat(get("/metrics").body().lines())
                .contains(
                        "tidegate_pipeline_state{pipeline=\"orders\",state=\"running\"} 1.0",
                        "tidegate_pipeline_state{pipeline=\"orders\",state=\"failed\"} 0.0",
                        "tidegate_unsettled_batches{pipeline=\"orders\"} 2.0",
                        "tidegate_unsettled_bytes{pipeline=\"orders\"} 300.0",
                        "tidegate_checkpoint_age_seconds{pipeline=\"orders\"} 1.5",
                        "tidegate_delay_seconds{pipeline=\"orders\"} 0.25",
                        "tidegate_source_retained_bytes{pipeline=\"orders\"} 4096.0",
                        "tidegate_reconnects_total{pipeline=\"orders\"} 3.0",
                        "tidegate_changes_delivered_total{pipeline=\"orders\"} 77.0",
                        "tidegate_changes_rejected_total{pipeline=\"orders\"} 5.0",
                        "tidegate_last_error_timestamp_seconds{code=\"TG-SINK-FAILED\",pipeline=\"orders\"} 1.0");
    }

    @Test
    void metricsFollowThePipeline() throws Exception {
        get("/metrics");
        pipelines = List.of(status(State.STALLED));

        assertThat(get("/metrics").body().lines())
                .contains(
                        "tidegate_pipeline_state{pipeline=\"orders\",state=\"running\"} 0.0",
                        "tidegate_pipeline_state{pipeline=\"orders\",state=\"stalled\"} 1.0");
    }

    @Test
    void statusHasThePositionsOfEachSplit() throws Exception {
        assertThat(get("/status").body().replaceAll("\\s+", ""))
                .contains(
                        "{\"id\":\"log\",\"frontier\":\"0/3\",\"persisted\":\"0/2\",\"acknowledged\":null,\"done\":false}");
    }

    @Test
    void otherPathsAndMethodsAreRefused() throws Exception {
        assertThat(get("/").statusCode()).isEqualTo(404);
        HttpRequest post = HttpRequest.newBuilder(uri("/healthz"))
                .POST(HttpRequest.BodyPublishers.noBody())
                .build();
        assertThat(HttpClient.newHttpClient()
                        .send(post, BodyHandlers.ofString())
                        .statusCode())
                .isEqualTo(405);
    }

    @Test
    void aPortInUseIsAnErrorThatNamesIt() {
        assertThatThrownBy(() -> StatusServer.start(new HttpAddress("127.0.0.1", server.port()), List::of))
                .isInstanceOf(TidegateException.class)
                .hasMessageContaining("127.0.0.1:" + server.port());
    }

    @Test
    void anAddressWithoutAHostIsLoopback() {
        assertThat(HttpAddress.parse(":0")).contains(new HttpAddress("127.0.0.1", 0));
        assertThat(HttpAddress.parse("[::1]:80")).contains(new HttpAddress("[::1]", 80));
        assertThat(HttpAddress.parse("off")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "8686", "a:b", "a:99999", "on", "a b:1"})
    void anythingElseIsNoAddress(String text) {
        assertThatThrownBy(() -> HttpAddress.parse(text)).isInstanceOf(TidegateException.class);
    }

    private static PipelineStatus status(State state) {
        return new PipelineStatus(
                "orders",
                state,
                "reads",
                List.of(new PipelineStatus.Split("log", "0/3", "0/2", null, false)),
                2,
                300,
                Duration.ofMillis(1500),
                Duration.ofMillis(250),
                4,
                77,
                5,
                Map.of("retained_bytes", 4096.0),
                new PipelineStatus.Failure(ErrorCode.SINK_FAILED, "full", Instant.ofEpochSecond(1)));
    }

    private URI uri(String path) {
        return URI.create("http://127.0.0.1:" + server.port() + path);
    }

    private HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return HttpClient.newHttpClient().send(HttpRequest.newBuilder(uri(path)).build(), BodyHandlers.ofString());
    }
}
