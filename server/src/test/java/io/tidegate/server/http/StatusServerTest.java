package io.tidegate.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tidegate.engine.PipelineStatus;
import io.tidegate.engine.PipelineStatus.State;
import io.tidegate.server.StatusSamples;
import io.tidegate.spi.TidegateException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
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
    void readyIsSaidExactlyWhenEveryPipelineDoesItsWork(State state) throws Exception {
        pipelines = List.of(status(State.RUNNING), StatusSamples.of("customers", state));

        HttpResponse<String> response = get("/readyz");

        boolean ready = state == State.RUNNING || state == State.COMPLETED;
        assertThat(response.statusCode()).isEqualTo(ready ? 200 : 503);
        assertThat(flat(response)).contains("\"ready\":" + ready + ",\"pipelines\"");
        assertThat(flat(response)).contains("\"orders\":{\"ready\":true,\"state\":\"running\"}");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "STALLED|is stalled: the sink's flush has not returned (for 41 s)",
                "FAILED|failed: TG-SINK-FAILED: full",
                "BACKING_OFF|waits to try again after TG-SINK-FAILED: full",
                "STARTING|is starting: reads"
            })
    void whatIsNotReadySaysWhyInWords(State state, String why) throws Exception {
        pipelines = List.of(status(state));

        assertThat(get("/readyz").body()).contains("\"why\" : \"" + why + "\"");
    }

    @Test
    void aProcessWithoutPipelinesIsNotReady() throws Exception {
        pipelines = List.of();

        assertThat(get("/readyz").statusCode()).isEqualTo(503);
    }

    @ParameterizedTest
    @EnumSource(State.class)
    void aProcessIsAliveWhateverItsPipelinesMeet(State state) throws Exception {
        pipelines = List.of(status(state));

        assertThat(get("/healthz").statusCode()).isEqualTo(200);
    }

    @Test
    void aPipelineWhoseOwnThreadIsSilentMeansThatTheProcessIsDeadUnlessItHasEnded() throws Exception {
        Instant longAgo = Instant.now().minusSeconds(100);
        pipelines = List.of(
                StatusSamples.of("orders", State.RUNNING, longAgo),
                StatusSamples.of("customers", State.COMPLETED, longAgo));

        HttpResponse<String> response = get("/healthz");

        assertThat(response.statusCode()).isEqualTo(503);
        assertThat(flat(response)).isEqualTo("{\"alive\":false,\"dead\":[\"orders\"]}");
    }

    @Test
    void metricsHaveEveryNumberOfAPipeline() throws Exception {
        assertThat(get("/metrics").body().lines())
                .contains(
                        "tidegate_pipeline_state{pipeline=\"orders\",state=\"running\"} 1.0",
                        "tidegate_pipeline_state{pipeline=\"orders\",state=\"failed\"} 0.0",
                        "tidegate_pipeline_ready{pipeline=\"orders\"} 1.0",
                        "tidegate_unsettled_batches{pipeline=\"orders\"} 2.0",
                        "tidegate_unsettled_bytes{pipeline=\"orders\"} 300.0",
                        "tidegate_checkpoint_age_seconds{pipeline=\"orders\"} 1.5",
                        "tidegate_settled_to_persisted_units{pipeline=\"orders\"} 16.0",
                        "tidegate_settled_to_persisted_seconds{pipeline=\"orders\"} 0.2",
                        "tidegate_persisted_to_acknowledged_units{pipeline=\"orders\"} 24.0",
                        "tidegate_persisted_to_acknowledged_seconds{pipeline=\"orders\"} 7.0",
                        "tidegate_delay_seconds{pipeline=\"orders\"} 0.25",
                        "tidegate_delay_p50_seconds{pipeline=\"orders\"} 0.125",
                        "tidegate_delay_p99_seconds{pipeline=\"orders\"} 0.9",
                        "tidegate_source_retained_bytes{pipeline=\"orders\"} 4096.0",
                        "tidegate_reconnects_total{pipeline=\"orders\"} 3.0",
                        "tidegate_changes_delivered_total{pipeline=\"orders\"} 77000.0",
                        "tidegate_changes_rejected_total{pipeline=\"orders\"} 5.0",
                        "tidegate_changes_nothing_to_do_total{pipeline=\"orders\"} 6.0",
                        "tidegate_splits{pipeline=\"orders\"} 20.0",
                        "tidegate_splits_done{pipeline=\"orders\"} 12.0",
                        "tidegate_snapshot_rows{pipeline=\"orders\"} 750.0",
                        "tidegate_snapshot_rows_expected{pipeline=\"orders\"} 4000.0",
                        "tidegate_snapshot_table_rows{pipeline=\"orders\",table=\"public.orders\"} 750.0",
                        "tidegate_snapshot_table_rows_expected{pipeline=\"orders\",table=\"public.orders\"} 1000.0",
                        "tidegate_snapshot_table_left_seconds{pipeline=\"orders\",table=\"public.orders\"} 10.0",
                        "tidegate_snapshot_left_seconds{pipeline=\"orders\"} 130.0",
                        "tidegate_problems{pipeline=\"orders\"} 1.0",
                        "tidegate_errors_total{code=\"TG-SOURCE-UNAVAILABLE\",pipeline=\"orders\"} 11.0",
                        "tidegate_last_error_timestamp_seconds{code=\"TG-SINK-FAILED\",pipeline=\"orders\"} 3.0");
    }

    @Test
    void everyMetricOfTheTableIsExposedUnderItsName() throws Exception {
        String body = get("/metrics").body();

        for (Metric metric : Metric.values()) {
            assertThat(body).contains("\n" + metric.exposedName() + "{");
        }
    }

    @Test
    void aTableThatWaitsIsNoMetricOfItsOwn() throws Exception {
        assertThat(get("/metrics").body()).doesNotContain("public.items");
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
    void aMetricThatHasNoValueAnyMoreIsGone() throws Exception {
        get("/metrics");
        pipelines = List.of(PipelineStatus.starting("orders", Instant.now()));

        assertThat(get("/metrics").body())
                .contains("tidegate_unsettled_batches{pipeline=\"orders\"} 0.0")
                .doesNotContain("tidegate_snapshot_rows{")
                .doesNotContain("tidegate_delay_p99_seconds{");
    }

    @Test
    void aPipelineShowsAllOfItself() throws Exception {
        assertThat(flat(get("/api/pipelines/orders")))
                .contains("\"pipeline\":\"orders\",\"state\":\"running\",\"ready\":true,\"why_not_ready\":\"\","
                        + "\"stalled_on\":\"\",\"doing\":\"reads\"")
                .contains("\"sessions\":4,\"reconnects\":3,\"positions\":{\"split\":\"log\",\"frontier\":\"0/30\","
                        + "\"persisted\":\"0/20\",\"acknowledged\":\"0/8\"}")
                .contains("\"lag\":{\"settled_to_persisted\":{\"units\":16.0,\"seconds\":0.2},"
                        + "\"persisted_to_acknowledged\":{\"units\":24.0,\"seconds\":7.0}}")
                .contains("\"splits\":{\"known\":20,\"done\":12,\"open\":[{\"split\":\"log\"")
                .contains("\"delay_seconds\":{\"newest\":0.25,\"p50\":0.125,\"p99\":0.9}")
                .contains("\"measures\":{\"retained_bytes\":4096.0,\"slot_limit_bytes\"")
                .contains("\"snapshot\":{\"rows_done\":750,\"rows_total\":4000,\"rows_per_second\":25.0,"
                        + "\"left_seconds\":130.0,\"tables\":[{\"table\":\"public.orders\",\"rows_done\":750,"
                        + "\"rows_total\":1000,\"chunks_done\":3,\"chunks_total\":4,\"rows_per_second\":25.0,"
                        + "\"left_seconds\":10.0}")
                .contains("\"problems\":[{\"severity\":\"error\",\"code\":\"TG-TABLE-LOST\",\"object\":\"tablea\"")
                .contains("\"errors\":[{\"code\":\"TG-SINK-FAILED\",\"message\":\"full\"")
                .contains("\"first\":\"1970-01-01T00:00:01Z\",\"last\":\"1970-01-01T00:00:03Z\",\"count\":3}");
    }

    @Test
    void allPipelinesAreAnArrayAndOneThatIsNotThereSaysWhichAre() throws Exception {
        pipelines = List.of(status(State.RUNNING), StatusSamples.of("customers", State.STALLED));

        assertThat(flat(get("/api/pipelines")))
                .startsWith("[{\"pipeline\":\"orders\"")
                .contains("{\"pipeline\":\"customers\"");
        assertThat(get("/api/pipelines/none").statusCode()).isEqualTo(404);
        assertThat(get("/api/pipelines/none").body()).contains("orders, customers");
    }

    @Test
    void otherPathsAndMethodsAreRefused() throws Exception {
        assertThat(get("/").statusCode()).isEqualTo(404);
        assertThat(get("/status").body()).contains("/api/pipelines");
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
        return StatusSamples.of("orders", state);
    }

    private static String flat(HttpResponse<String> response) {
        return response.body().replaceAll("\\s+", "");
    }

    private URI uri(String path) {
        return URI.create("http://127.0.0.1:" + server.port() + path);
    }

    private HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return HttpClient.newHttpClient().send(HttpRequest.newBuilder(uri(path)).build(), BodyHandlers.ofString());
    }
}
