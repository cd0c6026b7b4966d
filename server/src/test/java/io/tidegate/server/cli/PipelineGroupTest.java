package io.tidegate.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidegate.engine.PipelineStatus;
import io.tidegate.server.FakeConnectors;
import io.tidegate.server.config.ConfigLoader;
import io.tidegate.server.config.ConfiguredPipeline;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.TidegateException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PipelineGroupTest {

    /** The errors of these tests are meant. */
    private static final java.util.logging.Logger QUIET =
            java.util.logging.Logger.getLogger(PipelineGroup.class.getName());

    @BeforeAll
    static void quiet() {
        QUIET.setLevel(java.util.logging.Level.OFF);
    }

    @AfterAll
    static void loud() {
        QUIET.setLevel(null);
    }

    @TempDir
    Path folder;

    private boolean obedient;
    private final Map<String, Held> pipelines = new LinkedHashMap<>();
    private final PipelineGroup group = new PipelineGroup(configured -> {
        Held held = new Held();
        pipelines.put(configured.name(), held);
        return held;
    });

    @Test
    void aStopAsksEveryPipelineAndWaitsForAll() throws Exception {
        group.start(List.of(configured("a"), configured("b")));
        obedient = true;

        assertThat(group.stop(Duration.ofSeconds(10))).isTrue();
        assertThat(group.exitStatus()).isZero();
    }

    @Test
    void aStopThatTakesTooLongIsGivenUpWithoutAnError() throws Exception {
        group.start(List.of(configured("a"), configured("b")));

        assertThat(group.stop(Duration.ofMillis(1))).isFalse();
        assertThat(pipelines.values()).allMatch(Held::asked);
        assertThat(group.exitStatus()).isZero();
    }

    @Test
    void anErrorOfOneStopsNoOtherAndTheFirstOneCounts() throws Exception {
        group.start(List.of(configured("a"), configured("b"), configured("c")));

        held("b").ended().complete(failure(ErrorCode.REJECTED));
        held("a").ended().complete(failure(ErrorCode.POSITION_LOST));

        assertThat(held("c").asked()).isFalse();
        held("c").ended().complete(Optional.empty());
        group.await();
        assertThat(group.exitStatus()).isEqualTo(ErrorCode.REJECTED.exitStatus());
    }

    @Test
    void nothingIsStartedAfterAStop() throws Exception {
        group.stop(Duration.ofSeconds(10));

        group.start(List.of(configured("a")));

        assertThat(pipelines).isEmpty();
    }

    @Test
    void aPipelineThatCannotBeStartedIsShownAsFailed() throws Exception {
        PipelineGroup refusing = new PipelineGroup(configured -> {
            throw new TidegateException(ErrorCode.STATE_HELD, "somebody else has it");
        });
        refusing.start(List.of(configured("a")));

        assertThat(refusing.status()).extracting(PipelineStatus::state).containsExactly(PipelineStatus.State.FAILED);
        assertThat(refusing.status().get(0).lastError())
                .extracting(PipelineStatus.Failure::message)
                .isEqualTo("somebody else has it");
    }

    private Held held(String name) {
        return java.util.Objects.requireNonNull(pipelines.get(name));
    }

    private static Optional<TidegateException> failure(ErrorCode code) {
        return Optional.of(new TidegateException(code, "as the test wants"));
    }

    private ConfiguredPipeline configured(String name) throws IOException {
        Path file = Files.writeString(
                folder.resolve(name + ".yaml"),
                "pipeline: " + name + "\nsource: {ocean: {host: h}}\nsink: {bucket: }\n");
        return new ConfigLoader(new FakeConnectors().connectors(), unset -> null).load(file);
    }

    /** A pipeline that ends when the test says so. */
    private final class Held implements RunningPipeline {

        private final CompletableFuture<Optional<TidegateException>> ended = new CompletableFuture<>();
        private boolean asked;

        boolean asked() {
            return asked;
        }

        @Override
        public CompletableFuture<Optional<TidegateException>> ended() {
            return ended;
        }

        @Override
        public PipelineStatus status() {
            throw new UnsupportedOperationException("nobody asks in these tests");
        }

        @Override
        public void stop() {
            asked = true;
            if (obedient) {
                ended.complete(Optional.empty());
            }
        }
    }
}
