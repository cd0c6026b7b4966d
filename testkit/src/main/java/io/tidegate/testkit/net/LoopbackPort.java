package io.tidegate.testkit.net;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Finds a free port on the IPv4 loopback address.
 *
 * <p>Taken from below the range the system gives to outgoing connections (32768 and up on Linux): a server that is
 * stopped and started again on its port does not find it taken by some client in between.
 */
public final class LoopbackPort {
    private static final int LOWEST = 15_000;
    private static final int HIGHEST = 32_000;

    private LoopbackPort() {}

    /** A port that was free a moment ago. Another process may still take it first, so a bind can fail. */
    public static int free() {
        for (int attempt = 0; attempt < 1000; attempt++) {
            int port = ThreadLocalRandom.current().nextInt(LOWEST, HIGHEST);
            if (isFree(port)) {
                return port;
            }
        }
        throw new IllegalStateException("no free port between " + LOWEST + " and " + HIGHEST);
    }

    /** Whether a server could listen on this port now. */
    public static boolean isFree(int port) {
        try (ServerSocket probe = new ServerSocket()) {
            probe.bind(new InetSocketAddress(address(), port));
            return probe.isBound();
        } catch (IOException taken) {
            return false;
        }
    }

    /** 127.0.0.1, never ::1: the servers and proxies of the tests listen on IPv4 only. */
    static InetAddress address() throws IOException {
        return InetAddress.getByAddress("localhost", new byte[] {127, 0, 0, 1});
    }
}
