package io.tidegate.server.postgres;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Stands between a client and a server, tells replication connections from others, and cuts or stalls them. A stalled
 * connection is open and carries nothing, as behind a broken network. Any thread.
 */
final class Proxy implements AutoCloseable {

    private final int target;
    private final ServerSocket listening;
    private volatile boolean trickling;
    private final List<Link> links = new CopyOnWriteArrayList<>();

    Proxy(int target) throws IOException {
        this.target = target;
        listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        daemon(this::accept);
    }

    int port() {
        return listening.getLocalPort();
    }

    /** Resets every connection there is. */
    void cut() throws IOException {
        for (Link link : links) {
            link.reset();
        }
    }

    /** From now on the replication connections there are carry nothing, in both directions. */
    void stallReplication() {
        links.stream().filter(link -> link.replication).forEach(Link::stall);
    }

    void resume() {
        links.forEach(Link::resume);
    }

    /** From now on bytes come in small pieces, with a rest after each. */
    void trickle() {
        trickling = true;
    }

    /** Bytes that clients sent on replication connections. */
    long replicationBytesSent() {
        return links.stream()
                .filter(link -> link.replication)
                .mapToLong(link -> link.sent.get())
                .sum();
    }

    private void accept() {
        while (!listening.isClosed()) {
            try {
                Socket client = listening.accept();
                try {
                    links.add(new Link(client, new Socket(InetAddress.getLoopbackAddress(), target)));
                } catch (IOException down) {
                    client.close();
                }
            } catch (IOException e) {
                if (!listening.isClosed()) {
                    throw new UncheckedIOException(e);
                }
            }
        }
    }

    private static void daemon(Runnable work) {
        Thread thread = new Thread(work, "proxy");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        listening.close();
        resume();
        cut();
    }

    private final class Link {

        final Socket client;
        final Socket server;
        final AtomicLong sent = new AtomicLong();
        volatile boolean replication;
        private volatile CountDownLatch stalled = new CountDownLatch(0);

        Link(Socket client, Socket server) {
            this.client = client;
            this.server = server;
            daemon(() -> pump(client, server, true));
            daemon(() -> pump(server, client, false));
        }

        void stall() {
            stalled = new CountDownLatch(1);
        }

        void resume() {
            stalled.countDown();
        }

        void reset() throws IOException {
            for (Socket one : List.of(client, server)) {
                if (!one.isClosed()) {
                    one.setSoLinger(true, 0);
                    one.close();
                }
            }
        }

        private void pump(Socket from, Socket to, boolean fromClient) {
            byte[] piece = new byte[1 << 16];
            try (from;
                    to) {
                InputStream in = from.getInputStream();
                OutputStream out = to.getOutputStream();
                for (int count = in.read(piece); count >= 0; count = in.read(piece)) {
                    if (fromClient && sent.getAndAdd(count) == 0) {
                        replication = new String(piece, 0, count, StandardCharsets.ISO_8859_1).contains("replication");
                    }
                    stalled.await();
                    int step = trickling ? 777 : count;
                    for (int at = 0; at < count; at += step) {
                        out.write(piece, at, Math.min(step, count - at));
                        if (trickling) {
                            LockSupport.parkNanos(1_500_000);
                        }
                    }
                }
                stalled.await();
            } catch (IOException | InterruptedException e) {
                // one side is gone, and so is the other one now
            }
        }
    }
}
