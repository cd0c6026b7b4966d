package io.tidegate.embed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tidegate.engine.PipelineOptions;
import io.tidegate.engine.PipelineOptions.RejectPolicy;
import io.tidegate.engine.PipelineStatus;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.TidegateException;
import io.tidegate.testkit.await.Await;
import io.tidegate.testkit.fake.Numbered;
import io.tidegate.testkit.fake.ScriptedSource;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedPipelineTest {

    private static final Duration LIMIT = Duration.ofSeconds(20);

    @TempDir
    Path state;

    private final List<String> taken = new CopyOnWriteArrayList<>();
    private final AtomicBoolean broken = new AtomicBoolean(true);

    @Test
    void aChangeIsAcknowledgedWhenTheHandlerHasReturnedFromItAndNotBefore() throws Exception {
        ScriptedSource source = ScriptedSource.log("c".repeat(10));
        CountDownLatch go = new CountDownLatch(1);
        try (EmbeddedPipeline pipeline = builder(source)
                .forEachChange(change -> {
                    taken.add(Numbered.name(change.change()));
                    if (taken.size() == 8) {
                        go.await();
                    }
                })
                .start()) {
            until("the eighth change is in the handler's hands", () -> taken.size() == 8);
            assertThat(source.pruned("log")).isLessThanOrEqualTo(7);
            go.countDown();
            until("all is acknowledged", () -> source.pruned("log") == 10);
            until("the status says so", () -> pipeline.status().delivered() == 10);
            assertThat(pipeline.await(Duration.ZERO)).isFalse();
        }
        assertThat(taken).containsExactlyElementsOf(names(0, 10));
    }

    @Test
    void whatAHandlerFailsAtComesAgainInOrderAndTheStatusSaysWhy() throws Exception {
        ScriptedSource source = ScriptedSource.log("c".repeat(10));
        try (EmbeddedPipeline pipeline = builder(source)
                .forEachChange(change -> {
                    taken.add(Numbered.name(change.change()));
                    if (taken.get(taken.size() - 1).equals("log:5") && broken.get()) {
                        throw new IOException("no route");
                    }
                })
                .start()) {
            until("it was tried twice", () -> source.sessions() >= 3);
            assertThat(pipeline.status().lastError()).isNotNull().satisfies(failure -> {
                assertThat(failure.code()).isEqualTo(ErrorCode.SINK_FAILED);
                assertThat(failure.message()).contains("handler").contains("no route");
            });
            broken.set(false);
            until("all is acknowledged", () -> source.pruned("log") == 10);
        }
        assertThat(taken).endsWith("log:6", "log:7", "log:8", "log:9").contains("log:5");
        assertThat(taken.indexOf("log:6")).as("nothing overtakes").isGreaterThan(taken.lastIndexOf("log:5"));
    }

    @Test
    void aRefusedChangeIsOfferedAgainAloneAndBlocksWhatFollows() throws Exception {
        ScriptedSource source = ScriptedSource.log("c".repeat(10));
        try (EmbeddedPipeline pipeline = builder(source)
                .forEachChange(change -> {
                    taken.add(Numbered.name(change.change()));
                    if (taken.get(taken.size() - 1).equals("log:5") && broken.get()) {
                        throw change.rejected("not today");
                    }
                })
                .start()) {
            until("it was refused three times", () -> pipeline.status().rejected() >= 3);
            broken.set(false);
            until("all is acknowledged", () -> source.pruned("log") == 10);
            assertThat(source.sessions()).isEqualTo(1);
        }
        List<String> once = new ArrayList<>(taken);
        once.removeIf("log:5"::equals);
        assertThat(once).as("the others came once").containsExactlyElementsOf(others(5));
        assertThat(taken.indexOf("log:6")).isGreaterThan(taken.lastIndexOf("log:5"));
    }

    @Test
    void aRefusalWithThePolicyHaltEndsThePipelineAndAwaitSaysWhy() throws Exception {
        PipelineOptions defaults = options(RejectPolicy.HALT);
        try (EmbeddedPipeline pipeline = builder(ScriptedSource.log("c".repeat(10)))
                .options(defaults)
                .forEachBatch(changes -> {
                    throw changes.get(0).rejected("never");
                })
                .start()) {
            assertThatThrownBy(() -> pipeline.await(LIMIT))
                    .isInstanceOfSatisfying(
                            TidegateException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.REJECTED))
                    .hasMessageContaining("never");
            assertThat(pipeline.status().state()).isEqualTo(PipelineStatus.State.FAILED);
        }
    }

    @Test
    void aBatchOfWhichTheHandlerThrowsComesAgainWhole() throws Exception {
        ScriptedSource source = ScriptedSource.log("c".repeat(10));
        List<List<String>> batches = new CopyOnWriteArrayList<>();
        try (EmbeddedPipeline pipeline = builder(source)
                .forEachBatch(changes -> {
                    batches.add(changes.stream()
                            .map(change -> Numbered.name(change.change()))
                            .toList());
                    if (broken.getAndSet(false)) {
                        throw changes.get(changes.size() - 1).rejected("not yet");
                    }
                })
                .start()) {
            until("all is acknowledged", () -> source.pruned("log") == 10);
        }
        assertThat(batches.get(1)).isEqualTo(batches.get(0));
        assertThat(batches.subList(1, batches.size()).stream().flatMap(List::stream))
                .containsExactlyElementsOf(names(0, 10));
    }

    @Test
    void closeInterruptsAHandlerThatHangsAndWhatItHeldComesAgain() throws Exception {
        ScriptedSource source = ScriptedSource.log("c".repeat(10));
        CountDownLatch interrupted = new CountDownLatch(1);
        PipelineOptions impatient = options(RejectPolicy.RETRY, Duration.ofMillis(100));
        EmbeddedPipeline hanging = builder(source)
                .options(impatient)
                .forEachChange(change -> {
                    taken.add(Numbered.name(change.change()));
                    if (taken.size() == 5) {
                        try {
                            new CountDownLatch(1).await();
                        } catch (InterruptedException e) {
                            interrupted.countDown();
                            throw e;
                        }
                    }
                })
                .start();
        until("it hangs", () -> taken.size() == 5);
        hanging.close();
        assertThat(interrupted.await(LIMIT.toSeconds(), java.util.concurrent.TimeUnit.SECONDS))
                .isTrue();
        assertThat(hanging.await(LIMIT)).as("a stop is no failure").isTrue();
        try (EmbeddedPipeline again = builder(source)
                .forEachChange(change -> taken.add(Numbered.name(change.change())))
                .start()) {
            until("all is acknowledged", () -> source.pruned("log") == 10);
            assertThat(again.status().lastError()).isNull();
        }
        assertThat(taken.subList(5, taken.size())).contains("log:4").endsWith("log:9");
    }

    @Test
    void aSecondPipelineOnTheSameStateIsRefused() throws Exception {
        ScriptedSource source = ScriptedSource.log("c");
        try (EmbeddedPipeline first =
                        builder(source).forEachChange(change -> taken.add("")).start();
                EmbeddedPipeline second = first.await(Duration.ZERO) ? first : startedAfter(source)) {
            assertThatThrownBy(() -> second.await(LIMIT))
                    .isInstanceOfSatisfying(
                            TidegateException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.STATE_HELD));
        }
    }

    private EmbeddedPipeline startedAfter(ScriptedSource source) {
        until("the first one delivers", () -> !taken.isEmpty());
        return builder(source).forEachChange(change -> {}).start();
    }

    @Test
    void jsonIsInThePipelinesFormatAndBelongsToTheHandlersThread() throws Exception {
        List<String> lines = new CopyOnWriteArrayList<>();
        AtomicReference<Throwable> elsewhere = new AtomicReference<>();
        ScriptedSource source = ScriptedSource.log("c");
        try (EmbeddedPipeline pipeline = builder(source)
                .format(PipelineBuilder.Format.FLAT)
                .forEachChange(change -> {
                    var executor = Executors.newSingleThreadExecutor();
                    try {
                        executor.submit(change::json).get();
                    } catch (ExecutionException e) {
                        elsewhere.set(e.getCause());
                    } finally {
                        executor.shutdown();
                    }
                    lines.add(change.op() + " " + change.table() + " " + change.json());
                })
                .start()) {
            until("it is acknowledged", () -> source.pruned("log") == 1);
        }
        assertThat(lines)
                .singleElement()
                .asString()
                .startsWith("CREATE fake.log {")
                .contains("\"_op\":\"c\"", "\"n\":0");
        assertThat(elsewhere.get()).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void whatIsMissingOrWrongIsThrownWhereItIsWritten() {
        assertThatThrownBy(() -> EmbeddedPipeline.named("My Orders")).hasMessageContaining("lower-case");
        PipelineBuilder empty = EmbeddedPipeline.named("orders");
        assertThatThrownBy(empty::start).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> empty.source("oracle", Map.of()))
                .isInstanceOfSatisfying(
                        TidegateException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CONFIG_INVALID))
                .hasMessageContaining("there is no source oracle on the class path; there is postgres");
        assertThatThrownBy(() -> empty.source("postgres", Map.of("url", "postgresql://u@h/d", "tabels", List.of("a"))))
                .hasMessageContaining("source postgres: tabels: is not a known key");
        assertThatThrownBy(() -> empty.source("postgres", Map.of("url", "postgresql://u:s3cret@", "tables", List.of())))
                .hasMessageContaining("names no host")
                .hasMessageNotContaining("s3cret");
    }

    private PipelineBuilder builder(ScriptedSource source) {
        return EmbeddedPipeline.named("orders")
                .source(source)
                .stateDirectory(state)
                .options(options(RejectPolicy.RETRY));
    }

    private static PipelineOptions options(RejectPolicy policy) {
        return options(policy, Duration.ofSeconds(8));
    }

    private static PipelineOptions options(RejectPolicy policy, Duration stopTimeout) {
        return new PipelineOptions(
                7,
                1 << 20,
                8,
                1 << 20,
                Duration.ofMillis(5),
                1_000,
                policy,
                Duration.ofMillis(10),
                Duration.ofMillis(50),
                stopTimeout);
    }

    private static void until(String what, java.util.function.BooleanSupplier condition) {
        Await.until(what, LIMIT, condition::getAsBoolean);
    }

    private static List<String> names(int from, int to) {
        return IntStream.range(from, to).mapToObj(i -> "log:" + i).toList();
    }

    private static List<String> others(int without) {
        List<String> names = new ArrayList<>(names(0, 10));
        names.remove(without);
        return names;
    }
}
