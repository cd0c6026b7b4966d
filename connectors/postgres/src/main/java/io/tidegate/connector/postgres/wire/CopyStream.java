package io.tidegate.connector.postgres.wire;

import io.tidegate.connector.postgres.position.Lsn;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.TidegateException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * The log as START_REPLICATION sends it (PostgreSQL documentation, "Streaming Replication Protocol"). Belongs to one
 * thread. Never confirms anything by itself (rule 4): {@link #sendStatus} says what its caller says.
 */
public final class CopyStream {

    /** What {@link #next} found. */
    public enum Kind {
        /** Nothing came in time. */
        NOTHING,
        /** A piece of the log: {@link #data} and {@link #walStart}. */
        DATA,
        /** A sign of life: {@link #walEnd} and {@link #replyRequested}. */
        KEEPALIVE,
        /** A piece of the log longer than the limit; {@link #data} holds its first bytes, the rest was passed over. */
        OVERSIZED
    }

    /** XLogData before its payload: type, start, end, send time. */
    private static final int DATA_HEADER_BYTES = 25;

    private static final int KEEPALIVE_BYTES = 18;

    /** Enough of a payload to see which table it is about, or what message: type, relation, prefix. */
    private static final int PAYLOAD_HEAD_BYTES = 512;

    private static final long POSTGRES_EPOCH_SECONDS = 946_684_800;
    private static final String MISSING_OBJECT = "55000";

    private static final byte[] NONE = {};

    private final MessageSocket socket;
    private final long messageBytesMax;
    private final ByteBuffer status = ByteBuffer.allocate(39);

    private boolean open;
    private byte[] data = NONE;
    private int offset;
    private int length;
    private long payloadBytes;
    private Lsn walStart = Lsn.ZERO;
    private long sentAtMicros;
    private Lsn walEnd = Lsn.ZERO;
    private boolean replyRequested;
    private boolean oversized;

    CopyStream(MessageSocket socket, long messageBytesMax) {
        this.socket = socket;
        this.messageBytesMax = messageBytesMax;
    }

    /**
     * The next message of interest. What the one before gave is not valid any more, unless it was {@link #exclusive}.
     *
     * @throws TidegateException what the server reported, or that the connection broke
     */
    public Kind next(int waitMillis) {
        try {
            if (open) {
                socket.done();
                open = false;
                data = NONE; // else the last large message would be held while the next one comes
            }
            while (socket.header(waitMillis)) {
                if (!oversized && socket.bodyLength() > messageBytesMax && socket.type() == 'd') {
                    if (!socket.head(DATA_HEADER_BYTES + PAYLOAD_HEAD_BYTES, waitMillis)) {
                        return Kind.NOTHING;
                    }
                    keepHead();
                }
                if (oversized) {
                    if (!socket.passOver(waitMillis)) {
                        return Kind.NOTHING;
                    }
                    oversized = false;
                    return Kind.OVERSIZED;
                }
                if (!socket.bodyComplete(waitMillis)) {
                    return Kind.NOTHING;
                }
                open = true;
                if (socket.type() == 'd') {
                    return copyData();
                }
                control();
                socket.done();
                open = false;
            }
            return Kind.NOTHING;
        } catch (IOException e) {
            throw PgErrors.of(e, "reading the log");
        }
    }

    /**
     * Reads until the server says why it ends, and throws that. Returns if it does not say so within this time; what came
     * instead is thrown away, so nothing may be read afterwards.
     */
    public void awaitReport(int waitMillis) {
        long start = System.nanoTime();
        int left = waitMillis;
        while (left > 0) {
            next(left);
            left = waitMillis - (int) ((System.nanoTime() - start) / 1_000_000);
        }
    }

    private void keepHead() {
        int count = Math.min(DATA_HEADER_BYTES + PAYLOAD_HEAD_BYTES, socket.bodyLength());
        byte[] head = new byte[count];
        System.arraycopy(socket.body(), socket.bodyOffset(), head, 0, count);
        data = head;
        offset = DATA_HEADER_BYTES;
        length = count - DATA_HEADER_BYTES;
        payloadBytes = (long) socket.bodyLength() - DATA_HEADER_BYTES;
        dataHeader(head, 0);
        oversized = true;
    }

    private void dataHeader(byte[] bytes, int at) {
        walStart = new Lsn(MessageSocket.int64(bytes, at + 1));
        sentAtMicros = MessageSocket.int64(bytes, at + 17) + POSTGRES_EPOCH_SECONDS * 1_000_000;
    }

    private Kind copyData() throws IOException {
        byte[] body = socket.body();
        int at = socket.bodyOffset();
        int count = socket.bodyLength();
        if (count >= DATA_HEADER_BYTES && body[at] == 'w') {
            dataHeader(body, at);
            data = body;
            offset = at + DATA_HEADER_BYTES;
            length = count - DATA_HEADER_BYTES;
            payloadBytes = length;
            return Kind.DATA;
        }
        if (count >= KEEPALIVE_BYTES && body[at] == 'k') {
            walEnd = new Lsn(MessageSocket.int64(body, at + 1));
            replyRequested = body[at + 17] != 0;
            return Kind.KEEPALIVE;
        }
        throw new TidegateException(
                ErrorCode.MESSAGE_UNKNOWN,
                "the server sent a replication message of an unknown kind"
                        + (count == 0 ? "" : ", " + (body[at] & 0xFF)) + ", " + count + " bytes long");
    }

    /** Whatever is not CopyData. Returns if it can be passed over. */
    private void control() {
        byte[] body = socket.body();
        int at = socket.bodyOffset();
        int count = socket.bodyLength();
        switch (socket.type()) {
            case 'N' -> notice(Reports.parse(body, at, count));
            case 'E' -> throw PgErrors.of(Reports.parse(body, at, count), PgErrors.Doing.STREAMING, "reading the log");
            case 'S', 'A' -> {
                // a parameter's new value, a notification: no concern of the log
            }
            case 'c', 'C', 'Z' ->
                throw new TidegateException(ErrorCode.SOURCE_UNAVAILABLE, "reading the log: the server ended it");
            default ->
                throw new TidegateException(
                        ErrorCode.MESSAGE_UNKNOWN,
                        "the server sent a protocol message of an unknown kind, " + (socket.type() & 0xFF));
        }
    }

    /**
     * From PostgreSQL 18 on, a server that cannot load a publication only warns, leaves the rows out and goes on (rule 3).
     * Judged by the state, since the text follows lc_messages.
     */
    static void notice(ServerReport report) {
        if (report.sqlState().equals(MISSING_OBJECT)) {
            throw new TidegateException(
                    ErrorCode.POSITION_LOST,
                    "reading the log: the server leaves changes out, and says why only in a notice: "
                            + report.describe());
        }
    }

    /** What holds the payload; to be copied before the next call, unless {@link #exclusive}. */
    public byte[] data() {
        return data;
    }

    public int offset() {
        return offset;
    }

    /** The payload's length in {@link #data}. */
    public int length() {
        return length;
    }

    /** The payload's length on the wire; more than {@link #length} if it was oversized. */
    public long payloadBytes() {
        return payloadBytes;
    }

    /** Whether {@link #data} belongs to this message alone and stays as it is. */
    public boolean exclusive() {
        return open && socket.exclusive();
    }

    /** Where the piece of the log starts; of a row, the change's LSN. */
    public Lsn walStart() {
        return walStart;
    }

    /** The server's clock when it sent the piece of the log, microseconds since 1970. */
    public long sentAtMicros() {
        return sentAtMicros;
    }

    /** Up to where the server has sent what there is, by the last keepalive. */
    public Lsn walEnd() {
        return walEnd;
    }

    /** Whether the last keepalive wants a status soon. */
    public boolean replyRequested() {
        return replyRequested;
    }

    /** How many bytes ever came. */
    public long received() {
        return socket.received();
    }

    /**
     * Sends a standby status update. Can block while the server reads nothing; closing the socket ends that.
     *
     * @param received up to where the log came in
     * @param confirmed up to where the server may prune
     */
    public void sendStatus(Lsn received, Lsn confirmed, boolean wantReply) {
        Instant now = Instant.now();
        long micros = ChronoUnit.MICROS.between(Instant.ofEpochSecond(POSTGRES_EPOCH_SECONDS), now);
        status.clear();
        status.put((byte) 'd').putInt(38).put((byte) 'r');
        status.putLong(received.value()).putLong(confirmed.value()).putLong(confirmed.value());
        status.putLong(micros).put((byte) (wantReply ? 1 : 0));
        try {
            socket.send(status.array(), status.position());
        } catch (IOException e) {
            throw PgErrors.of(e, "answering the server");
        }
    }

    /**
     * Says that no more is wanted, and reads to the end of the stream for a while: closing a socket with unread data
     * throws away what was sent last.
     */
    public void finish(int waitMillis) throws IOException {
        socket.send(new byte[] {'c', 0, 0, 0, 4}, 5);
        if (open) {
            socket.done();
            open = false;
        }
        long start = System.nanoTime();
        int left = waitMillis;
        while (left > 0 && socket.header(left)) {
            boolean end = socket.type() == 'Z' || socket.type() == 'E';
            if (!socket.passOver(left) || end) {
                return;
            }
            left = waitMillis - (int) ((System.nanoTime() - start) / 1_000_000);
        }
    }
}
