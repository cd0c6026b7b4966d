package io.tidegate.testkit.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tidegate.testkit.await.Await;
import io.tidegate.testkit.net.TcpProxy.Direction;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TcpProxyTest {
    private static final Duration LIMIT = Duration.ofSeconds(10);
    private static final int QUIET_MILLIS = 150;

    private final ServerSocket target = listen();
    private final TcpProxy proxy = TcpProxy.to(target.getLocalPort());
    private Socket client = new Socket();
    private Socket server = new Socket();

    TcpProxyTest() throws IOException {}

    @BeforeEach
    void connect() throws IOException {
        client = connectTo(proxy);
        server = target.accept();
        server.setSoTimeout((int) LIMIT.toMillis());
    }

    @AfterEach
    void close() throws IOException {
        client.close();
        server.close();
        target.close();
        proxy.close();
    }

    @Test
    void forwardsEveryByteInOrderBothWaysUntilTheEnd() throws Exception {
        byte[] question = randomBytes(3_000_000);
        byte[] answer = randomBytes(2_000_000);
        Thread asker = new Thread(() -> write(client, question));
        Thread answerer = new Thread(() -> write(server, answer));
        asker.start();
        answerer.start();
        // Each side hears while it speaks; the ends arrive one after the other.
        assertThat(server.getInputStream().readNBytes(question.length)).isEqualTo(question);
        assertThat(client.getInputStream().readNBytes(answer.length)).isEqualTo(answer);
        asker.join();
        answerer.join();

        client.shutdownOutput();
        assertThat(server.getInputStream().read()).isEqualTo(-1);
        server.getOutputStream().write(7);
        assertThat(client.getInputStream().read()).isEqualTo(7);
        server.shutdownOutput();
        assertThat(client.getInputStream().read()).isEqualTo(-1);

        assertThat(proxy.forwardedBytes(Direction.TO_SERVER)).isEqualTo(question.length);
        assertThat(proxy.forwardedBytes(Direction.TO_CLIENT)).isEqualTo(answer.length + 1);
        Await.until("the connection to be forgotten", LIMIT, () -> proxy.openConnections() == 0);
    }

    @Test
    void resetsBothSidesAndRefusesNewOnesWhenCutAndTakesThemAgainOnTheSamePort() throws IOException {
        int port = proxy.port();

        proxy.cut();

        assertThat(proxy.openConnections()).isZero();
        assertReset(client);
        assertReset(server);
        assertThatThrownBy(() -> connectTo(proxy)).isInstanceOf(ConnectException.class);

        proxy.restore();
        assertThat(proxy.port()).isEqualTo(port);
        try (Socket again = connectTo(proxy);
                Socket peer = target.accept()) {
            assertArrives(again, peer);
        }
        assertThat(proxy.acceptedConnections()).isEqualTo(2);
    }

    /** The kernel holds the port until the thread that waited for connections has noticed. */
    @Test
    void takesItsPortAgainHoweverSoonAfterTheCut() throws IOException {
        for (int i = 0; i < 300; i++) {
            proxy.cut();
            proxy.restore();
        }
        try (Socket again = new Socket(InetAddress.getLoopbackAddress(), proxy.port())) {
            assertThat(again.isConnected()).isTrue();
        }
    }

    @Test
    void keepsConnectionsButForwardsNothingWhileStalledAndEverythingAfterwards() throws IOException {
        assertArrives(client, server);
        proxy.stall();

        client.getOutputStream().write(1);
        server.getOutputStream().write(2);
        assertSilent(server);
        assertSilent(client);

        client.getOutputStream().write(3);
        proxy.resume();
        assertThat(server.getInputStream().read()).isEqualTo(1);
        assertThat(server.getInputStream().read()).isEqualTo(3);
        assertThat(client.getInputStream().read()).isEqualTo(2);
    }

    @Test
    void stallsOneDirectionAndForwardsTheOther() throws IOException {
        proxy.stall(Direction.TO_CLIENT);

        assertArrives(client, server);
        server.getOutputStream().write(2);
        assertSilent(client);

        proxy.resume(Direction.TO_CLIENT);
        assertThat(client.getInputStream().read()).isEqualTo(2);
        proxy.stall(Direction.TO_SERVER);
        assertArrives(server, client);
        client.getOutputStream().write(4);
        assertSilent(server);
    }

    @Test
    void keepsTheEndOfAStreamBackWhileStalled() throws IOException {
        proxy.stall(Direction.TO_CLIENT);

        server.shutdownOutput();
        assertSilent(client);

        proxy.resume();
        assertThat(client.getInputStream().read()).isEqualTo(-1);
    }

    @Test
    void acceptsConnectionsWhileStalledAndForwardsNothingOnThem() throws IOException {
        proxy.stall();
        try (Socket late = connectTo(proxy);
                Socket peer = target.accept()) {
            late.getOutputStream().write(5);
            assertSilent(peer);
            proxy.resume();
            assertThat(peer.getInputStream().read()).isEqualTo(5);
        }
    }

    @Test
    void losesWhatWasHeldBackWhenCutWhileStalled() throws IOException {
        proxy.stall();
        client.getOutputStream().write(1);
        assertSilent(server);

        proxy.cut();

        assertReset(server);
        assertReset(client);
    }

    @Test
    void forwardsNoMoreThanTheGivenBytesInASecond() throws Exception {
        byte[] sent = randomBytes(50_000);
        proxy.slow(100_000);

        long start = System.nanoTime();
        Thread sender = new Thread(() -> write(client, sent));
        sender.start();
        assertThat(server.getInputStream().readNBytes(sent.length)).isEqualTo(sent);
        Duration took = Duration.ofNanos(System.nanoTime() - start);
        sender.join();

        assertThat(took).isBetween(Duration.ofMillis(450), LIMIT);
    }

    @Test
    void forwardsTheRestAtOnceWhenItIsSlowNoMore() throws IOException {
        proxy.slow(1);
        client.getOutputStream().write(new byte[1000]);
        proxy.fullSpeed();

        assertThat(server.getInputStream().readNBytes(1000)).hasSize(1000);
    }

    @Test
    void forwardsNewConnectionsToANewTargetAndLeavesTheOthers() throws IOException {
        try (ServerSocket other = listen()) {
            proxy.target(other.getLocalPort());
            try (Socket late = connectTo(proxy);
                    Socket peer = other.accept()) {
                assertArrives(late, peer);
                assertArrives(client, server);
                assertThat(proxy.openConnections()).isEqualTo(2);
            }
        }
    }

    @Test
    void resetsAClientWhoseTargetIsNotThere() throws IOException {
        target.close();

        // It may come so soon that connecting fails with it.
        assertThatThrownBy(() -> {
                    try (Socket late = connectTo(proxy)) {
                        late.getInputStream().read();
                    }
                })
                .isInstanceOf(SocketException.class)
                .isNotInstanceOf(ConnectException.class);
        assertArrives(client, server);
    }

    @Test
    void passesAResetOn() throws IOException {
        server.setSoLinger(true, 0);
        server.close();

        assertReset(client);
    }

    @Test
    void leavesNoThreadAndNoPortWhenClosed() {
        int port = proxy.port();
        assertThat(threadsOf(port)).isPositive();
        proxy.stall();

        proxy.close();

        assertThat(threadsOf(port)).isZero();
        assertThat(LoopbackPort.isFree(port)).isTrue();
        assertThatThrownBy(proxy::restore).isInstanceOf(IllegalStateException.class);
    }

    private static long threadsOf(int port) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("tcp-proxy-" + port + "-"))
                .count();
    }

    private static ServerSocket listen() throws IOException {
        ServerSocket socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        socket.setSoTimeout((int) LIMIT.toMillis());
        return socket;
    }

    private static Socket connectTo(TcpProxy proxy) throws IOException {
        Socket socket = new Socket();
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), proxy.port()), (int) LIMIT.toMillis());
        socket.setSoTimeout((int) LIMIT.toMillis());
        return socket;
    }

    private static void assertArrives(Socket from, Socket to) throws IOException {
        to.setSoTimeout((int) LIMIT.toMillis());
        from.getOutputStream().write(42);
        assertThat(to.getInputStream().read()).isEqualTo(42);
    }

    private static void assertSilent(Socket socket) throws IOException {
        socket.setSoTimeout(QUIET_MILLIS);
        InputStream input = socket.getInputStream();
        assertThatThrownBy(input::read).isInstanceOf(SocketTimeoutException.class);
        socket.setSoTimeout((int) LIMIT.toMillis());
    }

    private static void assertReset(Socket socket) throws IOException {
        InputStream input = socket.getInputStream();
        assertThatThrownBy(input::read).isInstanceOf(SocketException.class);
    }

    private static byte[] randomBytes(int size) {
        byte[] bytes = new byte[size];
        new Random(size).nextBytes(bytes);
        return bytes;
    }

    private static void write(Socket socket, byte[] bytes) {
        try {
            socket.getOutputStream().write(bytes);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
