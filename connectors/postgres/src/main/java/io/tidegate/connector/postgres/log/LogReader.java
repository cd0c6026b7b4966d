package io.tidegate.connector.postgres.log;

import io.tidegate.connector.postgres.pgoutput.PgOutputDecoder;
import io.tidegate.connector.postgres.position.Lsn;
import io.tidegate.connector.postgres.position.RaisedLsn;
import io.tidegate.connector.postgres.wire.CopyStream;
import io.tidegate.connector.postgres.wire.ReplicationConnection;
import io.tidegate.spi.ChangeOutput;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.SplitProgress;
import io.tidegate.spi.SplitReader;
import io.tidegate.spi.TidegateException;
import java.io.IOException;
import java.lang.System.Logger;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Reads the log: changes without resume positions, and markers at the end of each transaction and at keepalives.
 *
 * <ul>
 *   <li>The server is told as flushed only what {@link #acknowledge} was called with, or where reading started: that
 *       comes from a durable checkpoint as well (I1, I2).
 *   <li>Answers go out on a timer, in {@link #idle} as in {@link #poll}, so that no wait of ours ends the connection.
 * </ul>
 */
public final class LogReader implements SplitReader {

    private static final Logger LOG = System.getLogger(LogReader.class.getName());
    private static final int CLOSE_MILLIS = 1000;

    /** A row takes its message, and of a binary value the bytes as well; what else is in flight comes on top. */
    private static final int HEAP_FACTOR = 2;

    private static final int HEAP_BESIDE_MEBIBYTES = 64;

    private enum Life {
        OPEN,
        FAILED,
        CLOSED
    }

    /** So long a change waits for those that follow it, if they come too fast for the reader ever to be dry. */
    private static final long LINGER_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    private final ReplicationConnection connection;
    private final CopyStream stream;
    private final PgOutputDecoder decoder;
    private final LongSupplier nanoTime;
    private final ReplyClock clock;

    private Life life = Life.OPEN;
    private Lsn received;
    private Lsn confirmed;

    /**
     * Reads a stream that was started and of which nothing was read.
     *
     * @param connection what the stream was started on; closed with this reader
     * @param stream started at the decoder's position
     * @param walSenderTimeout of the connection; zero: none
     * @param nanoTime monotone
     */
    public LogReader(
            ReplicationConnection connection,
            CopyStream stream,
            PgOutputDecoder decoder,
            Duration walSenderTimeout,
            LongSupplier nanoTime) {
        this.connection = connection;
        this.stream = stream;
        this.decoder = decoder;
        this.nanoTime = nanoTime;
        received = decoder.position();
        confirmed = decoder.position();
        clock = new ReplyClock(walSenderTimeout, nanoTime.getAsLong());
    }

    @Override
    public State poll(ChangeOutput out, Duration maxWait) {
        return whileOpen(() -> read(out, maxWait));
    }

    private State read(ChangeOutput out, Duration maxWait) {
        long start = nanoTime.getAsLong();
        long now = start;
        boolean gave = false;
        long gaveNanos = start;
        while (!out.full()) {
            answerIfDue(now);
            long left = maxWait.toNanos() - (now - start);
            if (left <= 0 || (gave && now - gaveNanos >= LINGER_NANOS)) {
                return State.DRY;
            }
            long bytes = stream.received();
            long wait = gave ? 0 : Math.min(left, clock.nanosToNext(now));
            CopyStream.Kind kind = stream.next(millisUp(wait));
            long then = nanoTime.getAsLong();
            clock.read(then - now, stream.received() != bytes);
            now = then;
            switch (kind) {
                case NOTHING -> {
                    if (gave) {
                        return State.DRY;
                    }
                    judgeSilence();
                }
                case KEEPALIVE -> keepalive(out);
                case DATA -> {
                    received = later(received, stream.walStart());
                    decoder.sentAt(stream.sentAtMicros());
                    decoder.decode(
                            stream.data(),
                            stream.offset(),
                            stream.length(),
                            stream.exclusive(),
                            stream.walStart(),
                            out);
                    gaveNanos = gave ? gaveNanos : now;
                    gave = true;
                }
                case OVERSIZED -> {
                    if (!decoder.passOver(stream.data(), stream.offset(), stream.length())) {
                        throw oversized();
                    }
                }
            }
        }
        return State.MORE;
    }

    /** Rounded up: a wait of zero milliseconds is none, and would be repeated until a short wait is over. */
    private static int millisUp(long nanos) {
        return (int) TimeUnit.NANOSECONDS.toMillis(nanos + TimeUnit.MILLISECONDS.toNanos(1) - 1);
    }

    private void keepalive(ChangeOutput out) {
        received = later(received, stream.walEnd());
        if (stream.replyRequested()) {
            clock.serverAsks();
        }
        decoder.keepalive(stream.walEnd(), out);
    }

    private void judgeSilence() {
        if (clock.silent()) {
            throw new TidegateException(
                    ErrorCode.SOURCE_SILENT,
                    "the server sent nothing for "
                            + Duration.ofNanos(ReplyClock.SILENCE_MAX_NANOS).toSeconds()
                            + " s of reading, in spite of three requests for a reply");
        }
    }

    private TidegateException oversized() {
        byte[] head = stream.data();
        int at = stream.offset();
        boolean row = stream.length() >= 5 && (head[at] == 'I' || head[at] == 'U' || head[at] == 'D');
        String what = head[at] == 'M' ? "a logical message" : "a message";
        if (row) {
            int oid = (head[at + 1] & 0xFF) << 24
                    | (head[at + 2] & 0xFF) << 16
                    | (head[at + 3] & 0xFF) << 8
                    | (head[at + 4] & 0xFF);
            what = "a row of " + decoder.tableName(oid);
        }
        long heapMebibytes = ((stream.payloadBytes() * HEAP_FACTOR) >> 20) + HEAP_BESIDE_MEBIBYTES;
        return new TidegateException(
                ErrorCode.ROW_TOO_LARGE,
                what + " at " + stream.walStart() + " is " + stream.payloadBytes()
                        + " bytes long, more than max_row_bytes allows; to pass, it would take about " + heapMebibytes
                        + " MiB of heap");
    }

    @Override
    public void idle() {
        whileOpen(() -> {
            answerIfDue(nanoTime.getAsLong());
            return State.DRY;
        });
    }

    @Override
    public boolean acknowledge(SplitProgress durable) {
        if (durable.position() == null) {
            return true;
        }
        confirmed = later(confirmed, RaisedLsn.lsn(durable.position()));
        long now = nanoTime.getAsLong();
        if (clock.tooSoon(now)) {
            return false;
        }
        whileOpen(() -> {
            answer(now);
            return State.DRY;
        });
        return true;
    }

    private void answerIfDue(long now) {
        if (clock.due(now)) {
            answer(now);
        }
    }

    private void answer(long now) {
        stream.sendStatus(later(received, confirmed), confirmed, clock.replied(now));
    }

    private State whileOpen(java.util.function.Supplier<State> step) {
        if (life != Life.OPEN) {
            throw new IllegalStateException("this reader of the log is " + life);
        }
        Life after = Life.FAILED;
        try {
            State state = step.get();
            after = Life.OPEN;
            return state;
        } finally {
            life = after;
        }
    }

    private static Lsn later(Lsn one, Lsn other) {
        return one.isBefore(other) ? other : one;
    }

    @Override
    public void abort() {
        connection.abort();
    }

    /** Confirms once more and says good-bye, if that is possible within a second. */
    @Override
    public void close() {
        Life before = life;
        life = Life.CLOSED;
        if (before == Life.OPEN) {
            // a write to a server that reads nothing blocks until the socket is closed under it
            CompletableFuture.delayedExecutor(CLOSE_MILLIS, TimeUnit.MILLISECONDS)
                    .execute(connection::abort);
            try {
                stream.sendStatus(later(received, confirmed), confirmed, false);
                stream.finish(CLOSE_MILLIS);
            } catch (TidegateException | IOException e) {
                LOG.log(Logger.Level.DEBUG, "the last confirmation was not taken; the next session repeats it", e);
            }
        }
        if (before != Life.CLOSED) {
            connection.close();
        }
    }
}
