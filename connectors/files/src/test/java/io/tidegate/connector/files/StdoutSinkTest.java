package io.tidegate.connector.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tidegate.engine.env.RealDisk;
import io.tidegate.spi.ByteBuilder;
import io.tidegate.spi.Change;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.Op;
import io.tidegate.spi.SinkConnector;
import io.tidegate.spi.SinkSession;
import io.tidegate.spi.TableSchema;
import io.tidegate.spi.TidegateException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;

class StdoutSinkTest {

    private static final TableSchema TABLE = Lines.table("public", "order");

    private final Lines context = new Lines(new RealDisk());

    private static StandardOutput to(OutputStream stream, boolean regularFile) {
        return new StandardOutput(stream, false, regularFile, false);
    }

    private static String readable(Change change) {
        ByteBuilder out = new ByteBuilder(16);
        new ReadableEncoder(false).encode(change, out);
        return out.toString();
    }

    @Test
    void reportsABatchWhenItIsWritten() throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (SinkSession session = new StdoutSink(to(bytes, false), false, false).open(context)) {
            session.accept(Lines.batch(0, Lines.change(Op.CREATE, TABLE, 1, "x".repeat(100_000))));
            session.accept(Lines.batch(1, Lines.change(Op.CREATE, TABLE, 2, "y")));
            session.flush();
        }
        assertThat(bytes.toString(StandardCharsets.UTF_8).lines()).hasSize(2);
        assertThat(context.durable).containsExactly(0, 1);
    }

    @Test
    void aLineOfWhichOnlyAPieceWasWrittenIsEndedBeforeTheNextOne() throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        StdoutSink sink = new StdoutSink(to(bytes, false), false, false);
        Change large = Lines.change(Op.CREATE, TABLE, 1, "x".repeat(100_000));
        Change bad = Lines.change(Op.CREATE, TABLE, 2, null);
        try (SinkSession session = sink.open(context)) {
            assertThatThrownBy(() -> session.accept(Lines.batch(0, large, bad))).hasMessage("unreadable");
        }
        try (SinkSession session = sink.open(context)) {
            session.accept(Lines.batch(1, Lines.change(Op.CREATE, TABLE, 3, "y")));
            session.flush();
        }
        List<String> lines = bytes.toString(StandardCharsets.UTF_8).lines().toList();
        assertThat(lines.get(lines.size() - 1)).startsWith("{").contains("\"id\":3").endsWith("}");
        assertThat(context.durable).containsExactly(1);
    }

    @Test
    void aClosedPipeStopsAndAFullDiskBehindItFailsAndNothingIsReported() {
        OutputStream closed = new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException("Broken pipe");
            }
        };
        for (boolean file : new boolean[] {false, true}) {
            SinkSession session = new StdoutSink(to(closed, file), false, false).open(context);
            assertThatThrownBy(() -> session.accept(Lines.batch(0, Lines.change(Op.CREATE, TABLE, 1, "x"))))
                    .isInstanceOfSatisfying(
                            TidegateException.class,
                            e -> assertThat(e.code()).isEqualTo(file ? ErrorCode.SINK_FAILED : ErrorCode.SINK_CLOSED));
        }
        assertThat(context.durable).isEmpty();
    }

    @Test
    void aValueOrANameCannotControlTheTerminal() {
        TableSchema table = Lines.table("p\u001b[2J", "o\nx");
        String line = readable(Lines.change(Op.CREATE, table, 1, "\u001b[31m\u009b1m\u202e\u2028\r\n\"\\é😀"));
        assertThat(line)
                .isEqualTo("2026-01-02 03:04:05.678 insert   p\\u001b[2J.o\\nx id=1 v="
                        + "\"\\u001b[31m\\u009b1m\\u202e\\u2028\\r\\n\\\"\\\\é😀\"");
    }

    @Test
    void showsOfAnUpdateWhatChangedAndCutsLongValuesAtACharacter() {
        Change update =
                new Change(Op.UPDATE, TABLE, Lines.row(1, "old"), Lines.row(1, "é".repeat(50)), new Lines.Place(), 1);
        assertThat(readable(update)).endsWith("id=1 v=\"old\" → \"" + "é".repeat(39) + "… (102 bytes)");
        Change same = new Change(Op.UPDATE, TABLE, Lines.row(1, "a"), Lines.row(1, "a"), new Lines.Place(), 1);
        assertThat(readable(same)).endsWith("public.order id=1");
    }

    @Test
    void bothSinksAreFoundByName() {
        assertThat(ServiceLoader.load(SinkConnector.class).stream()
                        .map(p -> p.get().name()))
                .contains("file", "stdout");
    }
}
