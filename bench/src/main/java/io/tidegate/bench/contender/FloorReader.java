package io.tidegate.bench.contender;

import io.tidegate.bench.process.Arguments;
import io.tidegate.bench.process.ChildReport;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The floor: a reader of the replication stream on a bare socket that decodes nothing, reads in bulk, and rests for a moment
 * before each read unless the one before brought much, so that messages gather. It looks at the kind of each message, because it has to count, and
 * tells the server each second how far it is. It knows one way to log in: trust.
 *
 * <p>Arguments: {@code host}, {@code port}, {@code database}, {@code user}, {@code slot}, {@code publication}, {@code
 * expect}, {@code mark}.
 */
public final class FloorReader {

    private static final int BUFFER_BYTES = 256 * 1024;
    private static final long REST_NANOS = 400_000;
    private static final int MUCH_BYTES = 64 * 1024;
    private static final int DATA_HEADER_BYTES = 25;
    private static final long STATUS_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final InputStream in;
    private final DataOutputStream out;
    private final Receiver receiver;
    private final long expected;
    private byte[] buffer = new byte[BUFFER_BYTES];
    private int from;
    private int to;
    private int got;
    private long position;
    private long count;

    private FloorReader(Socket socket, Receiver receiver, long expected) throws IOException {
        in = socket.getInputStream();
        out = new DataOutputStream(socket.getOutputStream());
        this.receiver = receiver;
        this.expected = expected;
    }

    public static void main(String[] words) throws IOException {
        ChildReport report = new ChildReport();
        Arguments arguments = Arguments.of(words);
        long expected = arguments.number("expect");
        Receiver receiver = new Receiver(report, expected, arguments.text("mark"));
        try (Socket socket = new Socket(arguments.text("host"), (int) arguments.number("port"))) {
            socket.setTcpNoDelay(true);
            FloorReader reader = new FloorReader(socket, receiver, expected);
            reader.logIn(arguments.text("user"), arguments.text("database"));
            reader.start(arguments.text("slot"), arguments.text("publication"));
            reader.read();
            receiver.report();
        }
        report.print();
    }

    private void logIn(String user, String database) throws IOException {
        byte[] words = ("user\0" + user + "\0database\0" + database + "\0replication\0database\0\0")
                .getBytes(StandardCharsets.UTF_8);
        out.writeInt(words.length + 8);
        out.writeInt(3 << 16);
        out.write(words);
        out.flush();
        await('Z');
    }

    private void start(String slot, String publication) throws IOException {
        byte[] command = ("START_REPLICATION SLOT \"" + slot
                        + "\" LOGICAL 0/0 (proto_version '1', publication_names '\"" + publication + "\"')\0")
                .getBytes(StandardCharsets.UTF_8);
        out.writeByte('Q');
        out.writeInt(command.length + 4);
        out.write(command);
        out.flush();
        await('W');
    }

    private void await(char wanted) throws IOException {
        while (true) {
            fill(5);
            char type = (char) buffer[from];
            int length = int32(from + 1) + 1;
            fill(length);
            if (type == 'E') {
                throw new IOException(new String(buffer, from + 5, length - 5, StandardCharsets.UTF_8));
            }
            from += length;
            if (type == wanted) {
                return;
            }
        }
    }

    private void read() throws IOException {
        long statusAt = System.nanoTime() + STATUS_NANOS;
        while (count < expected) {
            while (to - from >= 5 && to - from > int32(from + 1)) {
                int length = int32(from + 1) + 1;
                message(from + 5, length - 5);
                from += length;
            }
            long now = System.nanoTime();
            if (now >= statusAt) {
                statusAt = now + STATUS_NANOS;
                status();
            }
            fill(to - from < 5 ? 5 : int32(from + 1) + 1);
        }
    }

    private void message(int at, int length) {
        if (buffer[at] == 'w' && length > DATA_HEADER_BYTES) {
            position = Math.max(position, int64(at + 1));
            byte kind = buffer[at + DATA_HEADER_BYTES];
            if (kind == 'I' || kind == 'U' || kind == 'D') {
                count++;
                receiver.take(buffer, at + DATA_HEADER_BYTES, length - DATA_HEADER_BYTES);
            }
        }
    }

    private void status() throws IOException {
        ByteBuffer status = ByteBuffer.allocate(39);
        status.put((byte) 'd').putInt(38).put((byte) 'r');
        status.putLong(position).putLong(0).putLong(0).putLong(0).put((byte) 0);
        out.write(status.array());
        out.flush();
    }

    /** Reads until so many bytes are there. */
    private void fill(int needed) throws IOException {
        if (buffer.length - from < needed || from == to) {
            byte[] wider = needed > buffer.length ? new byte[needed] : buffer;
            System.arraycopy(buffer, from, wider, 0, to - from);
            buffer = wider;
            to -= from;
            from = 0;
        }
        while (to - from < needed) {
            if (got < MUCH_BYTES) {
                LockSupport.parkNanos(REST_NANOS);
            }
            got = in.read(buffer, to, buffer.length - to);
            if (got < 0) {
                throw new EOFException("the server closed the connection");
            }
            to += got;
        }
    }

    private int int32(int at) {
        return (buffer[at] & 0xFF) << 24
                | (buffer[at + 1] & 0xFF) << 16
                | (buffer[at + 2] & 0xFF) << 8
                | (buffer[at + 3] & 0xFF);
    }

    private long int64(int at) {
        return (long) int32(at) << 32 | (int32(at + 4) & 0xFFFF_FFFFL);
    }
}
