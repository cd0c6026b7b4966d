package io.tidegate.connector.postgres.wire;

import java.io.IOException;
import java.net.Socket;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGProperty;

/**
 * Gets the sockets out of the driver. The driver makes its socket factories by class name and hands them only texts; so
 * each connection carries a random word, under which its factories report what they made.
 */
final class SocketRecorder {

    private static final Map<String, SocketRecorder> OPEN = new ConcurrentHashMap<>();

    private final String word = UUID.randomUUID().toString();
    private volatile @Nullable Socket plain;
    private volatile @Nullable SSLSocket encrypted;
    private volatile boolean aborted;

    SocketRecorder() {
        OPEN.put(word, this);
    }

    static SocketRecorder of(java.util.Properties properties) {
        String word = PGProperty.SOCKET_FACTORY_ARG.getOrDefault(properties);
        SocketRecorder recorder = word == null ? null : OPEN.get(word);
        if (recorder == null) {
            throw new IllegalStateException("this socket factory works for replication connections only");
        }
        return recorder;
    }

    String word() {
        return word;
    }

    /** The driver tries one address, or one way to encrypt, after the other: the last one counts. */
    void made(Socket socket) throws IOException {
        plain = socket;
        encrypted = null;
        if (aborted) {
            socket.close();
        }
    }

    void encrypted(SSLSocket socket) {
        encrypted = socket;
    }

    /** The socket to read from and write to. */
    Socket socket() {
        SSLSocket ssl = encrypted;
        return ssl == null ? plain() : ssl;
    }

    /** What came over the network, encrypted or not, comes in by this one. */
    Socket plain() {
        Socket raw = plain;
        if (raw == null) {
            throw new IllegalStateException("the driver has not connected");
        }
        return raw;
    }

    /** Closes the plain socket, which fails every call blocked on it; closing an encrypted one could block itself. */
    void closePlain() throws IOException {
        aborted = true;
        Socket raw = plain;
        if (raw != null) {
            raw.close();
        }
    }

    void forget() {
        OPEN.remove(word);
    }
}
