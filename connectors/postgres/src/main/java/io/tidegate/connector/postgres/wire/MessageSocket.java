package io.tidegate.connector.postgres.wire;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.concurrent.locks.LockSupport;

/**
 * Messages of the frontend/backend protocol on a socket: a type byte, a length word, a body (PostgreSQL documentation,
 * "Message Formats"). Reads in bulk. Each step can run out of time and is taken up where it stopped; the length is known
 * before anything of the body is kept. A body that fits the buffer is left there, a larger one gets an array of exactly
 * its size.
 */
final class MessageSocket {

    /** Waits without limit. */
    static final int FOREVER = -1;

    private static final int BUFFER_BYTES = 128 * 1024;
    private static final int HEADER_BYTES = 5;

    /**
     * Under load a rest before a read lets messages gather: the server sends each by itself, and a system call and a wake-up
     * for each would cost more than all the rest. A load is so many bytes in so short a stretch of time; below it nothing
     * waits for anything.
     */
    private static final long REST_NANOS = 400_000;

    private static final long STRETCH_NANOS = 1_000_000;
    private static final int LOAD_BYTES = 1024;

    /** So much at once says that the server is ahead: there is nothing to wait for. */
    private static final int WELL_FILLED_BYTES = 64 * 1024;

    private final Socket socket;
    private final InputStream in;
    private final InputStream inPlain;

    /** A read then gives what one message of the server was encrypted to, however much waits behind it. */
    private final boolean encrypted;

    private final OutputStream out;
    private final byte[] buffer = new byte[BUFFER_BYTES];
    private int from;
    private int to;
    private long received;
    private int lastReadBytes;
    private boolean loaded;
    private long stretchNanos = System.nanoTime();
    private long stretchReceived;

    private boolean inMessage;
    private byte type;
    private int bodyLength;
    private byte[] large = {};
    private int largeFilled;
    private int passedOver;

    /**
     * Takes over a socket.
     *
     * @param plain below an encrypted one, the one that shows what came and was not decrypted; else the same
     */
    MessageSocket(Socket socket, Socket plain) throws IOException {
        this.socket = socket;
        in = socket.getInputStream();
        inPlain = plain.getInputStream();
        encrypted = !socket.equals(plain);
        out = socket.getOutputStream();
        socket.setTcpNoDelay(true);
    }

    /** Whether the next message's type and length are known, after waiting so long. */
    boolean header(int waitMillis) throws IOException {
        if (inMessage) {
            return true;
        }
        if (!buffered(HEADER_BYTES, waitMillis)) {
            return false;
        }
        type = buffer[from];
        bodyLength = int32(buffer, from + 1) - 4;
        if (bodyLength < 0) {
            throw new IOException("the server sent a message of negative length");
        }
        from += HEADER_BYTES;
        inMessage = true;
        return true;
    }

    /** The type of the message whose header was read. */
    byte type() {
        return type;
    }

    int bodyLength() {
        return bodyLength;
    }

    /** Whether the first bytes of the body are at {@link #body}, {@link #bodyOffset}; not more than a few. */
    boolean head(int count, int waitMillis) throws IOException {
        return buffered(Math.min(count, bodyLength), waitMillis);
    }

    /** Whether the whole body is at {@link #body}, {@link #bodyOffset}. */
    boolean bodyComplete(int waitMillis) throws IOException {
        if (bodyLength <= BUFFER_BYTES) {
            return buffered(bodyLength, waitMillis);
        }
        if (large.length == 0) {
            large = new byte[bodyLength];
            largeFilled = Math.min(to - from, bodyLength);
            System.arraycopy(buffer, from, large, 0, largeFilled);
            from += largeFilled;
        }
        while (largeFilled < bodyLength) {
            int count = read(large, largeFilled, bodyLength - largeFilled, waitMillis);
            if (count == 0) {
                return false;
            }
            largeFilled += count;
        }
        return true;
    }

    /** What holds the body: valid until {@link #done}, unless {@link #exclusive}. */
    byte[] body() {
        return large.length > 0 ? large : buffer;
    }

    int bodyOffset() {
        return large.length > 0 ? 0 : from;
    }

    /** Whether the body has an array of its own, which is never written to again. */
    boolean exclusive() {
        return large.length > 0;
    }

    /** Goes on to the next message. */
    void done() {
        if (large.length == 0) {
            from += bodyLength;
        }
        large = new byte[0];
        inMessage = false;
    }

    /** Whether the whole body has been passed over without being kept; the message is done then. */
    boolean passOver(int waitMillis) throws IOException {
        while (passedOver < bodyLength) {
            if (from == to && !buffered(1, waitMillis)) {
                return false;
            }
            int count = Math.min(to - from, bodyLength - passedOver);
            from += count;
            passedOver += count;
        }
        passedOver = 0;
        inMessage = false;
        return true;
    }

    /** How many bytes ever came. */
    long received() {
        return received;
    }

    void send(byte[] message, int length) throws IOException {
        out.write(message, 0, length);
        out.flush();
    }

    private boolean buffered(int count, int waitMillis) throws IOException {
        if (to - from < count && buffer.length - from < count) {
            System.arraycopy(buffer, from, buffer, 0, to - from);
            to -= from;
            from = 0;
        }
        while (to - from < count) {
            if (from == to) {
                from = 0;
                to = 0;
            }
            int got = read(buffer, to, buffer.length - to, waitMillis);
            if (got == 0) {
                return false;
            }
            to += got;
        }
        return true;
    }

    /** 0: nothing came in time; without time, nothing is there. */
    private int read(byte[] into, int at, int count, int waitMillis) throws IOException {
        if (loaded && lastReadBytes < WELL_FILLED_BYTES && !(encrypted && waiting())) {
            LockSupport.parkNanos(REST_NANOS);
        }
        if (waitMillis == 0 && !waiting()) {
            judgeLoad();
            return 0;
        }
        // a time-out of 0 means without limit to the socket
        socket.setSoTimeout(waitMillis == FOREVER ? 0 : Math.max(1, waitMillis));
        int got;
        try {
            got = in.read(into, at, count);
        } catch (SocketTimeoutException e) {
            return 0;
        }
        if (got < 0) {
            throw new EOFException("the server closed the connection");
        }
        received += got;
        lastReadBytes = got;
        judgeLoad();
        return got;
    }

    /** Whether bytes are there that were not read; of an encrypted socket those as well that were not decrypted. */
    private boolean waiting() throws IOException {
        return in.available() > 0 || (encrypted && inPlain.available() > 0);
    }

    private void judgeLoad() {
        long now = System.nanoTime();
        long nanos = now - stretchNanos;
        if (nanos >= STRETCH_NANOS) {
            long bytes = received - stretchReceived;
            loaded = bytes * STRETCH_NANOS >= LOAD_BYTES * nanos;
            stretchNanos = now;
            stretchReceived = received;
        }
    }

    static int int32(byte[] data, int at) {
        return (data[at] & 0xFF) << 24
                | (data[at + 1] & 0xFF) << 16
                | (data[at + 2] & 0xFF) << 8
                | (data[at + 3] & 0xFF);
    }

    static long int64(byte[] data, int at) {
        return (long) int32(data, at) << 32 | (int32(data, at + 4) & 0xFFFF_FFFFL);
    }
}
