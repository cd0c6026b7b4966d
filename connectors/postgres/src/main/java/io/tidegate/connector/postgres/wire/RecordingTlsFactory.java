package io.tidegate.connector.postgres.wire;

import java.io.IOException;
import java.net.Socket;
import java.util.Properties;
import javax.net.ssl.SSLSocket;
import org.postgresql.ssl.LibPQFactory;
import org.postgresql.util.PSQLException;

/**
 * Made by the driver, by class name: encrypts as the driver does by default, and reports the socket. The driver verifies
 * certificate and host name in its own code around this factory, as {@code sslmode} says.
 */
public final class RecordingTlsFactory extends LibPQFactory {

    private final SocketRecorder recorder;

    public RecordingTlsFactory(Properties properties) throws PSQLException {
        super(properties);
        recorder = SocketRecorder.of(properties);
    }

    @Override
    public Socket createSocket(Socket plain, String host, int port, boolean autoClose) throws IOException {
        Socket socket = super.createSocket(plain, host, port, autoClose);
        if (!(socket instanceof SSLSocket encrypted)) {
            throw new IOException("the driver's TLS factory made no TLS socket");
        }
        recorder.encrypted(encrypted);
        return socket;
    }
}
