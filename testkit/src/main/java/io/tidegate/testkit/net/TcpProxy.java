package io.tidegate.testkit.net;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A loopback port that forwards to another one, and can misbehave the way a network does.
 *
 * <p>What holds:
 *
 * <ol>
 *   <li>N1 Bytes arrive in order and once, or the connection breaks. A stall delays, it loses nothing.
 *   <li>N2 When {@link #cut} has returned, every connection is reset and new ones are refused, until {@link #restore}.
 *   <li>N3 When {@link #stall} has returned, nothing more arrives in that direction, neither bytes nor the end of the
 *       stream, until {@link #resume}. (Exception: a receiver that had stopped reading before may still get the rest of
 *       one write.)
 *   <li>N4 The port stays the same, whatever happens.
 * </ol>
 */
public final class TcpProxy implements AutoCloseable {
    private static final int CONNECT_LIMIT_MILLIS = 5_000;
    private static final Duration SETTLE_LIMIT = Duration.ofSeconds(1);
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(10);

    /** The two ways bytes go. */
    public enum Direction {
        /** From who connected to the target. */
        TO_SERVER,
        /** From the target to who connected. */
        TO_CLIENT
    }

    private enum State {
        OPEN,
        CUT,
        CLOSED
    }

    /** One connection: the socket that was accepted, and the one to the target. Guarded by the proxy's lock. */
    private static final class Link {
        private final Socket client;
        private final Socket server = new Socket();
        private int openDirections = 2;
        private boolean broken;

        private Link(Socket client) {
            this.client = client;
        }

        private Socket from(Direction direction) {
            return direction == Direction.TO_SERVER ? client : server;
        }

        private Socket to(Direction direction) {
            return direction == Direction.TO_SERVER ? server : client;
        }
    }

    private final int port;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Map<Direction, Flow> flows = new EnumMap<>(Direction.class);
    private final Set<Link> links = new HashSet<>();
    private final Set<Thread> threads = new HashSet<>();
    private State state = State.CUT;
    private @Nullable ServerSocket listener;
    private @Nullable Thread accepting;
    private int targetPort;
    private int accepted;

    private TcpProxy(int targetPort) {
        this.port = LoopbackPort.free();
        this.targetPort = targetPort;
        for (Direction direction : Direction.values()) {
            flows.put(direction, new Flow());
        }
        restore();
    }

    /** A proxy on a free port that forwards to this port. */
    public static TcpProxy to(int targetPort) {
        return new TcpProxy(targetPort);
    }

    /** The port to connect to. */
    public int port() {
        return port;
    }

    /** Forwards new connections to this port from now on; the ones that are there stay where they are. */
    public void target(int newTargetPort) {
        locked(() -> targetPort = newTargetPort);
    }

    /** Resets all connections and refuses new ones (N2). */
    public void cut() {
        locked(() -> {
            requireNotClosed();
            state = State.CUT;
            breakAll();
            awaitAcceptEnded();
        });
    }

    /** Takes connections again. Stalls and speed are as they were. */
    public void restore() {
        locked(() -> {
            requireNotClosed();
            if (state == State.CUT) {
                awaitAcceptEnded();
                ServerSocket socket = listen();
                listener = socket;
                state = State.OPEN;
                accepting = start("accept", () -> accept(socket));
            }
        });
    }

    /** Until the thread that waited for connections has noticed the cut, the kernel holds the port for it, and takes some. */
    private void awaitAcceptEnded() {
        long limitNanos = CLOSE_LIMIT.toNanos();
        try {
            while (accepting != null && threads.contains(accepting) && limitNanos > 0) {
                limitNanos = changed.awaitNanos(limitNanos);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while cutting or restoring the proxy", e);
        }
    }

    /** Keeps all connections, present and new, but forwards nothing in either direction (N3): a half-open network. */
    public void stall() {
        for (Direction direction : Direction.values()) {
            stall(direction);
        }
    }

    /** Forwards nothing in this direction (N3). */
    public void stall(Direction direction) {
        locked(() -> {
            Flow flow = flow(direction);
            flow.stalled = true;
            try {
                long limitNanos = SETTLE_LIMIT.toNanos();
                while (flow.writing > 0 && limitNanos > 0) {
                    limitNanos = changed.awaitNanos(limitNanos);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted while stalling the proxy", e);
            }
        });
    }

    /** Forwards again, in both directions. What waited arrives now. */
    public void resume() {
        for (Direction direction : Direction.values()) {
            resume(direction);
        }
    }

    /** Forwards again in this direction. */
    public void resume(Direction direction) {
        locked(() -> {
            flow(direction).stalled = false;
            changed.signalAll();
        });
    }

    /** Forwards so many bytes in a second and not more, in each direction, over all connections together. */
    public void slow(long bytesPerSecond) {
        if (bytesPerSecond <= 0) {
            throw new IllegalArgumentException("bytes per second: " + bytesPerSecond);
        }
        setSpeed(bytesPerSecond);
    }

    /** Ends {@link #slow}. */
    public void fullSpeed() {
        setSpeed(Flow.UNLIMITED);
    }

    /** How many connections were accepted since the start. */
    public int acceptedConnections() {
        lock.lock();
        try {
            return accepted;
        } finally {
            lock.unlock();
        }
    }

    /** How many connections there are now. */
    public int openConnections() {
        lock.lock();
        try {
            return links.size();
        } finally {
            lock.unlock();
        }
    }

    /** How many bytes went this way since the start. */
    public long forwardedBytes(Direction direction) {
        lock.lock();
        try {
            return flow(direction).forwarded;
        } finally {
            lock.unlock();
        }
    }

    /** Resets all connections and gives the port back; returns when all its threads have ended. */
    @Override
    public void close() {
        List<Thread> running = new ArrayList<>();
        locked(() -> {
            state = State.CLOSED;
            breakAll();
            running.addAll(threads);
        });
        long end = System.nanoTime() + CLOSE_LIMIT.toNanos();
        for (Thread thread : running) {
            try {
                long restMillis = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
                thread.join(Math.max(1, restMillis));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
            if (thread.isAlive()) {
                throw new IllegalStateException("a thread of the proxy does not end: " + thread.getName());
            }
        }
    }

    private void setSpeed(long bytesPerSecond) {
        locked(() -> {
            flows.values().forEach(flow -> flow.setSpeed(bytesPerSecond));
            changed.signalAll();
        });
    }

    private ServerSocket listen() {
        try {
            ServerSocket socket = new ServerSocket();
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(LoopbackPort.address(), port), 128);
            return socket;
        } catch (IOException e) {
            throw new UncheckedIOException("the proxy cannot listen on port " + port, e);
        }
    }

    private void accept(ServerSocket socket) {
        while (true) {
            try {
                Socket client = socket.accept();
                client.setTcpNoDelay(true);
                locked(() -> {
                    accepted++;
                    Link link = new Link(client);
                    links.add(link);
                    if (socket.isClosed()) {
                        breakOff(link);
                    } else {
                        start("connect", () -> connect(link));
                    }
                });
            } catch (IOException closed) {
                return;
            }
        }
    }

    private void connect(Link link) {
        try {
            int target;
            lock.lock();
            try {
                target = targetPort;
            } finally {
                lock.unlock();
            }
            link.server.connect(new InetSocketAddress(LoopbackPort.address(), target), CONNECT_LIMIT_MILLIS);
            link.server.setTcpNoDelay(true);
        } catch (IOException refused) {
            locked(() -> breakOff(link));
            return;
        }
        locked(() -> start("to-client", () -> pump(link, Direction.TO_CLIENT)));
        pump(link, Direction.TO_SERVER);
    }

    private void pump(Link link, Direction direction) {
        byte[] buffer = new byte[Flow.LARGEST_CHUNK];
        try {
            while (true) {
                int size = link.from(direction).getInputStream().read(buffer, 0, chunk(direction));
                if (!enter(link, direction, Math.max(0, size))) {
                    return;
                }
                try {
                    if (size < 0) {
                        link.to(direction).shutdownOutput();
                        locked(() -> endDirection(link));
                        return;
                    }
                    link.to(direction).getOutputStream().write(buffer, 0, size);
                } finally {
                    locked(() -> {
                        flow(direction).writing--;
                        changed.signalAll();
                    });
                }
            }
        } catch (IOException broken) {
            // Broken on one side: the other side is to see it too.
            locked(() -> breakOff(link));
        }
    }

    private int chunk(Direction direction) {
        lock.lock();
        try {
            return flow(direction).chunk();
        } finally {
            lock.unlock();
        }
    }

    /** Waits until so many bytes may be written. False if the connection is broken; if not, the write is counted. */
    private boolean enter(Link link, Direction direction, int bytes) {
        lock.lock();
        try {
            Flow flow = flow(direction);
            long pauseNanos = flow.pauseNanos(System.nanoTime());
            while (!link.broken && pauseNanos > 0) {
                changed.awaitNanos(pauseNanos);
                pauseNanos = flow.pauseNanos(System.nanoTime());
            }
            if (link.broken) {
                return false;
            }
            flow.enter(bytes, System.nanoTime());
            return true;
        } catch (InterruptedException e) {
            throw new IllegalStateException("nobody interrupts the proxy's threads", e);
        } finally {
            lock.unlock();
        }
    }

    private void endDirection(Link link) {
        link.openDirections--;
        if (link.openDirections == 0 && links.remove(link)) {
            closeQuietly(link.client);
            closeQuietly(link.server);
        }
    }

    private void breakAll() {
        ServerSocket socket = listener;
        if (socket != null) {
            closeQuietly(socket);
            listener = null;
        }
        List.copyOf(links).forEach(this::breakOff);
        changed.signalAll();
    }

    private void breakOff(Link link) {
        link.broken = true;
        links.remove(link);
        for (Socket socket : List.of(link.client, link.server)) {
            try {
                // No time to linger: the peer gets a reset instead of an orderly end.
                socket.setSoLinger(true, 0);
            } catch (IOException alreadyClosed) {
                // Then there is nothing to reset.
            }
            closeQuietly(socket);
        }
        changed.signalAll();
    }

    private Thread start(String role, Runnable work) {
        Thread thread = new Thread(
                () -> {
                    try {
                        work.run();
                    } finally {
                        locked(() -> {
                            threads.remove(Thread.currentThread());
                            changed.signalAll();
                        });
                    }
                },
                "tcp-proxy-" + port + "-" + role);
        thread.setDaemon(true);
        threads.add(thread);
        thread.start();
        return thread;
    }

    private Flow flow(Direction direction) {
        Flow flow = flows.get(direction);
        if (flow == null) {
            throw new IllegalStateException("no flow " + direction);
        }
        return flow;
    }

    private void requireNotClosed() {
        if (state == State.CLOSED) {
            throw new IllegalStateException("the proxy is closed");
        }
    }

    private void locked(Runnable change) {
        lock.lock();
        try {
            change.run();
        } finally {
            lock.unlock();
        }
    }

    private static void closeQuietly(AutoCloseable socket) {
        try {
            socket.close();
        } catch (Exception alreadyBroken) {
            // It was to be gone, and is.
        }
    }
}
