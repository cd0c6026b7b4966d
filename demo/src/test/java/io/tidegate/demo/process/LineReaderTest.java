package io.tidegate.demo.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidegate.demo.compare.Delivery;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class LineReaderTest {

    @Test
    void aLineWithoutItsEndIsNoLine() throws IOException {
        assertThat(lines(stream("{\"a\":1}\n{\"b\":", 100))).containsExactly("{\"a\":1}\n");
        assertThat(lines(stream("torn", 100))).isEmpty();
    }

    @Test
    void linesAreWholeHoweverTheyArrive() throws IOException {
        for (int piece = 1; piece < 9; piece++) {
            assertThat(lines(stream("one\n\ntwö\n", piece))).containsExactly("one\n", "\n", "twö\n");
        }
    }

    @Test
    void takesLinesOnAndSaysOnceThatTheirReaderHasGone() {
        AtomicInteger gone = new AtomicInteger();
        Delivery delivery = new Delivery();
        OutputStream closed = new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException("Broken pipe");
            }
        };
        LineSink sink = new LineSink(delivery, closed, gone::incrementAndGet);

        sink.line(row(1));
        sink.line(row(2));
        sink.pause();

        assertThat(gone).hasValue(1);
        assertThat(delivery.highestPoint()).isEqualTo(2);
    }

    private static byte[] row(int point) {
        return ("{\"op\":\"r\",\"source\":{\"table\":\"t\",\"snapshot\":true,\"lsn\":\"0/" + point
                        + "\"},\"key\":{\"id\":1},\"before\":null,\"after\":{\"id\":1}}\n")
                .getBytes(StandardCharsets.UTF_8);
    }

    private static List<String> lines(InputStream stream) throws IOException {
        List<String> lines = new ArrayList<>();
        new LineReader(stream).readAll(new LineReader.Lines() {
            @Override
            public void line(byte[] withEnd) {
                lines.add(new String(withEnd, StandardCharsets.UTF_8));
            }

            @Override
            public void pause() {}
        });
        return lines;
    }

    /** Gives at most so many bytes at once. */
    private static InputStream stream(String text, int piece) {
        return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)) {
            @Override
            public int read(byte[] into) {
                return read(into, 0, Math.min(piece, into.length));
            }
        };
    }
}
