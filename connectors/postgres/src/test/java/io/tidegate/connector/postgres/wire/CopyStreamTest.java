package io.tidegate.connector.postgres.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.TidegateException;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the server says in the middle of the log, written by hand. */
class CopyStreamTest {

    private static final int WAIT_MILLIS = 5_000;
    private static final int LIMIT_BYTES = 1 << 20;

    private ServerSocket listening;
    private Socket server;
    private CountingSocket client;
    private CopyStream stream;

    /** A socket whose reads are counted. */
    private static final class CountingSocket extends Socket {

        private int reads;

        @Override
        public InputStream getInputStream() throws IOException {
            return new FilterInputStream(super.getInputStream()) {
                @Override
                public int read(byte[] into, int offset, int length) throws IOException {
                    reads++;
                    return super.read(into, offset, length);
                }
            };
        }
    }

    @BeforeEach
    void connect() throws IOException {
        listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        client = new CountingSocket();
        client.connect(listening.getLocalSocketAddress());
        server = listening.accept();
        stream = new CopyStream(new MessageSocket(client, client), LIMIT_BYTES);
    }

    @AfterEach
    void disconnect() throws IOException {
        client.close();
        server.close();
        listening.close();
    }

    private void send(char type, byte[] body) throws IOException {
        ByteArrayOutputStream message = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(message);
        out.writeByte(type);
        out.writeInt(body.length + 4);
        out.write(body);
        server.getOutputStream().write(message.toByteArray());
    }

    private static byte[] report(String severity, String state, String text) {
        return ("S" + severity + "\0V" + severity + "\0C" + state + "\0M" + text + "\0\0")
                .getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] data(int payloadBytes) throws IOException {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(body);
        out.writeByte('w');
        out.writeLong(42);
        out.writeLong(43);
        out.writeLong(0);
        out.write(new byte[payloadBytes]);
        return body.toByteArray();
    }

    @Test
    void underLoadMessagesGatherBeforeTheyAreRead() throws IOException {
        int messages = 20_000;
        Thread writer = new Thread(() -> {
            try {
                byte[] row = data(200);
                for (int i = 0; i < messages; i++) {
                    send('d', row);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        writer.start();
        for (int i = 0; i < messages; i++) {
            assertThat(stream.next(WAIT_MILLIS)).isEqualTo(CopyStream.Kind.DATA);
        }
        assertThat(client.reads).as("reads of " + messages + " messages").isLessThan(messages / 40);
    }

    /** As an encrypted socket does it: a message at a time, whatever waits behind, and none of it shows before it is read. */
    @Test
    void nothingRestsWhileMoreWaitsBelowEncryption() throws IOException, InterruptedException {
        int messages = 40_000;
        byte[] row = data(1_000);
        try (Socket encrypted = new OneAtATime(client, row.length + 5)) {
            stream = new CopyStream(new MessageSocket(encrypted, client), LIMIT_BYTES);
            Thread writer = new Thread(() -> {
                try {
                    for (int i = 0; i < messages; i++) {
                        send('d', row);
                    }
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            long start = System.nanoTime();
            writer.start();
            for (int i = 0; i < messages; i++) {
                assertThat(stream.next(WAIT_MILLIS)).isEqualTo(CopyStream.Kind.DATA);
            }
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(3));
            writer.join();
        }
    }

    private static final class OneAtATime extends Socket {

        private final Socket below;
        private final int bytes;

        OneAtATime(Socket below, int bytes) {
            this.below = below;
            this.bytes = bytes;
        }

        @Override
        public InputStream getInputStream() throws IOException {
            return new FilterInputStream(below.getInputStream()) {
                @Override
                public int read(byte[] into, int offset, int length) throws IOException {
                    return super.read(into, offset, Math.min(length, bytes));
                }

                @Override
                public int available() {
                    return 0;
                }
            };
        }

        @Override
        public OutputStream getOutputStream() throws IOException {
            return below.getOutputStream();
        }

        @Override
        public synchronized void setSoTimeout(int millis) throws SocketException {
            below.setSoTimeout(millis);
        }

        @Override
        public void setTcpNoDelay(boolean on) throws SocketException {
            below.setTcpNoDelay(on);
        }
    }

    @Test
    void withoutTimeToWaitItSaysAtOnceThatNothingIsThere() throws IOException {
        send('d', data(200));
        assertThat(stream.next(WAIT_MILLIS)).isEqualTo(CopyStream.Kind.DATA);
        int before = client.reads;
        assertThat(stream.next(0)).isEqualTo(CopyStream.Kind.NOTHING);
        assertThat(client.reads)
                .as("reads, each of which would wait for a millisecond")
                .isEqualTo(before);
    }

    @ParameterizedTest
    @CsvSource({
        "XX000, invalid memory alloc request size 1234567890, SERVER_ROW_TOO_LARGE",
        "54000, out of memory, SERVER_ROW_TOO_LARGE",
        "XX000, could not read block 7, SOURCE_UNAVAILABLE",
        "42704, publication \"p\" does not exist, POSITION_LOST",
        "55000, recovery is in progress, SOURCE_UNAVAILABLE",
        "57P01, terminating connection due to administrator command, SOURCE_UNAVAILABLE",
        "42501, permission denied, PERMISSION"
    })
    void tellsWhatTheServerFailedWithByItsState(String state, String text, ErrorCode code) throws IOException {
        send('E', report("ERROR", state, text));
        assertThatThrownBy(() -> stream.next(WAIT_MILLIS)).isInstanceOfSatisfying(TidegateException.class, e -> {
            assertThat(e.code()).isEqualTo(code);
            assertThat(e.getMessage()).contains(text, state);
        });
    }

    @Test
    void aRowThatTheServerCannotSendIsNotTriedAgain() {
        assertThat(ErrorCode.SERVER_ROW_TOO_LARGE.outcome()).isEqualTo(ErrorCode.Outcome.HALT);
    }

    @Test
    void aNoticeThatAnObjectIsMissingMeansThatChangesAreGoneWhateverItsLanguage() throws IOException {
        send('N', report("WARNING", "55000", "Publikation wird \u00fcbersprungen"));
        assertThatThrownBy(() -> stream.next(WAIT_MILLIS))
                .isInstanceOfSatisfying(
                        TidegateException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.POSITION_LOST));
    }

    @Test
    void passesOverOtherNotices() throws IOException {
        send('N', report("WARNING", "01000", "something"));
        send('d', data(3));
        assertThat(stream.next(WAIT_MILLIS)).isEqualTo(CopyStream.Kind.DATA);
        assertThat(stream.length()).isEqualTo(3);
    }

    @Test
    void holdsNothingOfALargeMessageWhenTheNextOneIsAskedFor() throws IOException {
        send('d', data(300_000));
        assertThat(stream.next(WAIT_MILLIS)).isEqualTo(CopyStream.Kind.DATA);
        assertThat(stream.exclusive()).isTrue();
        assertThat(stream.data().length).isGreaterThan(300_000);
        assertThat(stream.next(1)).isEqualTo(CopyStream.Kind.NOTHING);
        assertThat(stream.data()).isEmpty();
    }

    @Test
    void saysWhyTheServerEndedAfterOtherMessages() throws IOException {
        send('d', data(3));
        send('E', report("ERROR", "42704", "publication \"p\" does not exist"));
        assertThatThrownBy(() -> stream.awaitReport(WAIT_MILLIS))
                .isInstanceOfSatisfying(
                        TidegateException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.POSITION_LOST));
    }
}
