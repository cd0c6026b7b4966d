package io.tidegate.connector.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tidegate.engine.env.RealDisk;
import io.tidegate.spi.ByteBuilder;
import io.tidegate.spi.Change;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.Op;
import io.tidegate.spi.SinkSession;
import io.tidegate.spi.TableSchema;
import io.tidegate.spi.TidegateException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileSinkTest {

    private static final TableSchema TABLE = Lines.table("public", "order");

    @TempDir
    private Path folder;

    private final Lines context = new Lines(new RealDisk());

    private FileSink sink(boolean apart, long size, Optional<Duration> interval) {
        return new FileSink(new FileLayout(folder.resolve("a/b"), "p", apart), new Rotation(size, interval));
    }

    private FileSink single() {
        return sink(false, 1 << 20, Optional.empty());
    }

    private static Change change(int id) {
        return Lines.change(Op.CREATE, TABLE, id, "é");
    }

    private List<String> files() throws IOException {
        try (Stream<Path> all = Files.walk(folder.resolve("a/b"))) {
            return all.filter(Files::isRegularFile)
                    .map(p -> folder.resolve("a/b").relativize(p).toString())
                    .filter(name -> !name.endsWith(".lock"))
                    .sorted()
                    .toList();
        }
    }

    private List<String> lines(String file) throws IOException {
        return Files.readAllLines(folder.resolve("a/b").resolve(file));
    }

    @Test
    void reportsBatchesInOrderOnlyWhenTheyAreForced() throws Exception {
        try (SinkSession session = single().open(context)) {
            session.accept(Lines.batch(0, change(1)));
            session.accept(Lines.batch(1, change(2), change(3)));
            assertThat(context.durable).isEmpty();
            session.flush();
            assertThat(context.durable).containsExactly(0, 1);
            assertThat(lines("p-00000001.jsonl.open")).hasSize(3);
        }
    }

    @Test
    void cutsALineThatWasTornInTheMiddleOfACharacterAndGoesOnBehindTheLastWholeOne() throws Exception {
        try (SinkSession session = single().open(context)) {
            session.accept(Lines.batch(0, change(1)));
            session.flush();
        }
        Path open = folder.resolve("a/b/p-00000001.jsonl.open");
        byte[] torn = "{\"x\":\"é".getBytes(StandardCharsets.UTF_8);
        Files.write(open, List.of(), StandardOpenOption.APPEND);
        Files.write(open, java.util.Arrays.copyOf(torn, torn.length - 1), StandardOpenOption.APPEND);
        try (SinkSession session = single().open(context)) {
            assertThat(lines("p-00000001.jsonl.open")).hasSize(1);
            session.accept(Lines.batch(1, change(2)));
            session.flush();
        }
        assertThat(lines("p-00000001.jsonl.open")).hasSize(2).allMatch(line -> line.endsWith("}}"));
    }

    @Test
    void finishesAFileAtItsSizeAndAtItsAgeAndNumbersTheNext() throws Exception {
        try (SinkSession session =
                sink(false, 300, Optional.of(Duration.ofMinutes(1))).open(context)) {
            session.accept(Lines.batch(0, change(1), change(2), change(3)));
            assertThat(context.durable).containsExactly(0);
            assertThat(files()).containsExactly("p-00000001.jsonl");
            session.accept(Lines.batch(1, change(4)));
            session.flush();
            session.tend();
            assertThat(files()).containsExactly("p-00000001.jsonl", "p-00000002.jsonl.open");
            context.nanos += Duration.ofMinutes(1).toNanos();
            session.tend();
            session.tend();
            assertThat(files()).containsExactly("p-00000001.jsonl", "p-00000002.jsonl");
        }
    }

    @Test
    void aBatchWithAnUnreadableValueLeavesNothingOfItself() throws Exception {
        for (boolean apart : new boolean[] {false, true}) {
            try (SinkSession session = sink(apart, 1 << 20, Optional.empty()).open(context)) {
                session.accept(Lines.batch(0, change(1)));
                Change other = Lines.change(Op.CREATE, Lines.table("public", "two"), 5, "x".repeat(2 << 20));
                Change bad = Lines.change(Op.CREATE, TABLE, 6, null);
                assertThatThrownBy(() -> session.accept(Lines.batch(1, change(2), other, bad)))
                        .hasMessage("unreadable");
                session.accept(Lines.batch(2, change(3)));
                session.flush();
            }
            String file = apart ? "p/public/order-00000001.jsonl.open" : "p-00000001.jsonl.open";
            assertThat(lines(file)).hasSize(2);
        }
        assertThat(context.durable).containsExactly(0, 2, 0, 2);
    }

    @Test
    void aLineOfAnyLengthIsWrittenWholeInPieces() throws Exception {
        Change large = Lines.change(Op.CREATE, TABLE, 2, "a\"\n".repeat(1_500_000) + "é".repeat(2_000_000));
        ByteBuilder whole = new ByteBuilder(16);
        context.encoder().encode(large, whole);
        try (SinkSession session = single().open(context)) {
            session.accept(Lines.batch(0, change(1), large, change(3)));
            session.flush();
        }
        Path file = folder.resolve("a/b").resolve(files().get(0));
        List<String> written = Files.readAllLines(file);
        assertThat(written).hasSize(3);
        assertThat(written.get(1).equals(whole.toString())).isTrue();
        assertThat(context.durable).containsExactly(0);
    }

    @Test
    void refusesASecondSessionOfTheSamePipelineInTheSameFolder() throws Exception {
        try (SinkSession session = single().open(context)) {
            assertThat(session).isNotNull();
            assertThatThrownBy(() -> single().open(context))
                    .isInstanceOfSatisfying(
                            TidegateException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.STATE_HELD));
        }
        single().open(context).close();
    }

    @Test
    void keepsTablesApartWhoseNamesDifferByCaseOnlyOrLookLikePaths() throws Exception {
        try (SinkSession session = sink(true, 1 << 20, Optional.empty()).open(context)) {
            int id = 0;
            for (String name : List.of("order", "Order", "../../x", "", "a.b", "é")) {
                session.accept(Lines.batch(id, Lines.change(Op.CREATE, Lines.table("My.S", name), id++, "x")));
            }
            session.flush();
        }
        assertThat(files().stream()
                        .map(name -> name.toLowerCase(java.util.Locale.ROOT))
                        .distinct())
                .hasSize(6)
                .allMatch(name -> name.matches("p/\\+my%2e\\+s/[a-z0-9+%_-]+-00000001\\.jsonl\\.open"));
    }

    @Test
    void manyTablesNeedFewOpenFiles() throws Exception {
        int tables = 3 * LineStreams.HANDLES_MAX;
        try (SinkSession session = sink(true, 1 << 20, Optional.empty()).open(context)) {
            for (int round = 0; round < 2; round++) {
                for (int i = 0; i < tables; i++) {
                    session.accept(Lines.batch(i, Lines.change(Op.CREATE, Lines.table("s", "t" + i), i, "x")));
                }
            }
            session.flush();
        }
        assertThat(files()).hasSize(tables);
        assertThat(lines("p/s/t0-00000001.jsonl.open")).hasSize(2);
    }
}
