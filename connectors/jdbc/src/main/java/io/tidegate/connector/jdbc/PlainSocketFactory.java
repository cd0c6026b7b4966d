package io.tidegate.connector.jdbc;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collections;
import java.util.Map;
import java.util.Properties;
import java.util.UUID;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.SocketFactory;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGProperty;

/**
 * Knows the plain socket of each connection: closing an encrypted one waits for a write that hangs in it, and a closed plain one
 * ends that. Made by PostgreSQL's driver, by class name; it can hand over only a text, a random word for each connection. Any
 * thread.
 */
public final class PlainSocketFactory extends SocketFactory {

    private static final Map<String, AtomicReference<@Nullable Socket>> CONNECTING = new ConcurrentHashMap<>();
    private static final Map<Connection, Socket> CONNECTED = Collections.synchronizedMap(new WeakHashMap<>());

    private final String word;

    public PlainSocketFactory(String word) {
        this.word = word;
    }

    /** Connects as a driver does. */
    interface Connect {
        @Nullable
        Connection connect(Properties properties) throws SQLException;
    }

    /** Connects with these properties, and remembers the socket. */
    static @Nullable Connection recorded(Properties properties, Connect how) throws SQLException {
        String word = UUID.randomUUID().toString();
        AtomicReference<@Nullable Socket> made = new AtomicReference<>();
        CONNECTING.put(word, made);
        try {
            PGProperty.SOCKET_FACTORY.set(properties, PlainSocketFactory.class.getName());
            PGProperty.SOCKET_FACTORY_ARG.set(properties, word);
            Connection connection = how.connect(properties);
            Socket plain = made.get();
            if (connection != null && plain != null) {
                CONNECTED.put(connection, plain);
            }
            return connection;
        } finally {
            CONNECTING.remove(word);
        }
    }

    /** Whatever hangs in this connection fails. */
    static void abort(Connection connection) throws SQLException {
        Socket plain = CONNECTED.get(connection);
        if (plain != null) {
            try {
                plain.close();
            } catch (IOException e) {
                // it was broken before
            }
        }
        connection.abort(Runnable::run);
    }

    /** The driver tries one address, or one way to encrypt, after the other: the last one counts. */
    @Override
    public Socket createSocket() {
        Socket socket = new Socket();
        AtomicReference<@Nullable Socket> made = CONNECTING.get(word);
        if (made != null) {
            made.set(socket);
        }
        return socket;
    }

    @Override
    public Socket createSocket(String host, int port) {
        throw connectsItself();
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress local, int localPort) {
        throw connectsItself();
    }

    @Override
    public Socket createSocket(InetAddress host, int port) {
        throw connectsItself();
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort) {
        throw connectsItself();
    }

    private static UnsupportedOperationException connectsItself() {
        return new UnsupportedOperationException("the driver connects its sockets itself");
    }
}
