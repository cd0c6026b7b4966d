package io.tidegate.connector.postgres.wire;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Properties;
import javax.net.SocketFactory;

/** Made by the driver, by class name: hands plain sockets to the driver and to {@link SocketRecorder}. */
public final class RecordingSocketFactory extends SocketFactory {

    private final SocketRecorder recorder;

    public RecordingSocketFactory(Properties properties) {
        recorder = SocketRecorder.of(properties);
    }

    @Override
    public Socket createSocket() throws IOException {
        Socket socket = new Socket();
        recorder.made(socket);
        return socket;
    }

    @Override
    public Socket createSocket(String host, int port) throws IOException {
        return connected(new InetSocketAddress(host, port), null);
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress local, int localPort) throws IOException {
        return connected(new InetSocketAddress(host, port), new InetSocketAddress(local, localPort));
    }

    @Override
    public Socket createSocket(InetAddress host, int port) throws IOException {
        return connected(new InetSocketAddress(host, port), null);
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort) throws IOException {
        return connected(new InetSocketAddress(host, port), new InetSocketAddress(local, localPort));
    }

    private Socket connected(InetSocketAddress to, @org.jspecify.annotations.Nullable InetSocketAddress from)
            throws IOException {
        Socket socket = createSocket();
        if (from != null) {
            socket.bind(from);
        }
        socket.connect(to);
        return socket;
    }
}
