package io.tidegate.connector.files;

import io.tidegate.spi.Batch;
import io.tidegate.spi.ByteBuilder;
import io.tidegate.spi.Change;
import io.tidegate.spi.Check;
import io.tidegate.spi.SinkContext;
import io.tidegate.spi.SinkSession;
import io.tidegate.spi.TidegateException;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Appends lines; one force settles all that was accepted before it. Called by the sink's thread only. */
final class FileSinkSession implements SinkSession {

    private static final int WRITE_BYTES = 1 << 20;

    private enum State {
        OPEN,
        /** Something failed; only {@link #close} may follow (I8). */
        FAILED,
        CLOSED
    }

    private final SinkContext context;
    private final Rotation rotation;
    private final LineStreams streams;
    private final Closeable lock;
    private final List<Batch> accepted = new ArrayList<>();
    private final IdentityHashMap<LineStream, Long> batchStarts = new IdentityHashMap<>();
    private final ByteBuilder buffer = new ByteBuilder(WRITE_BYTES, this::append);
    private @Nullable LineStream current;
    private State state = State.OPEN;

    FileSinkSession(SinkContext context, Rotation rotation, LineStreams streams, Closeable lock) {
        this.context = context;
        this.rotation = rotation;
        this.streams = streams;
        this.lock = lock;
    }

    @Override
    public void accept(Batch batch) {
        checkOpen();
        batchStarts.clear();
        try {
            write(batch);
        } catch (IOException e) {
            throw failed(e);
        } catch (UncheckedIOException e) {
            throw failed(e.getCause());
        } catch (RuntimeException e) {
            rollBack(e);
            throw e;
        }
        accepted.add(batch);
        for (LineStream touched : batchStarts.keySet()) {
            if (touched.end() >= rotation.sizeBytes()) {
                flush();
                return;
            }
        }
    }

    /** Lines gather up to the buffer's size; of a longer one the buffer hands on what it cannot hold. */
    private void write(Batch batch) throws IOException {
        buffer.clear();
        current = null;
        for (Change change : batch.changes()) {
            LineStream stream = streams.of(change.table());
            if (stream != current) {
                appendRest();
                current = stream;
                streams.used(stream);
            }
            batchStarts.putIfAbsent(stream, stream.end());
            context.encoder().encode(change, buffer);
            buffer.put('\n');
        }
        appendRest();
    }

    private void appendRest() {
        if (buffer.length() > 0) {
            append(buffer.array(), 0, buffer.length());
        }
        buffer.clear();
    }

    private void append(byte[] lines, int offset, int count) {
        LineStream stream = current;
        Check.invariant(stream != null, "a line is written before its file is known");
        try {
            stream.append(lines, offset, count, context.nanoTime());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A change that cannot be written takes its whole batch with it: nothing of it counts as accepted. */
    private void rollBack(RuntimeException cause) {
        try {
            for (Map.Entry<LineStream, Long> start : batchStarts.entrySet()) {
                start.getKey().rollBack(start.getValue());
            }
        } catch (IOException e) {
            e.addSuppressed(cause);
            throw failed(e);
        }
    }

    @Override
    public void flush() {
        checkOpen();
        if (accepted.isEmpty()) {
            return;
        }
        try {
            for (LineStream stream : streams.all()) {
                stream.force();
            }
        } catch (IOException e) {
            throw failed(e);
        }
        accepted.forEach(context::durable);
        accepted.clear();
        rotate();
    }

    @Override
    public void tend() {
        checkOpen();
        if (accepted.isEmpty()) {
            rotate();
        }
    }

    private void rotate() {
        long now = context.nanoTime();
        try {
            for (LineStream stream : streams.all()) {
                if (!stream.empty() && rotation.due(stream.end(), now - stream.sinceNanos())) {
                    Check.invariant(stream.settled(), "I8: a file is finished that was not forced");
                    stream.finish();
                }
            }
        } catch (IOException e) {
            throw failed(e);
        }
    }

    /** Does nothing: a call to a disk cannot be interrupted without losing the file. */
    @Override
    public void abort() {}

    @Override
    public void close() {
        if (state == State.CLOSED) {
            return;
        }
        state = State.CLOSED;
        try (lock) {
            streams.close();
        } catch (IOException e) {
            throw FileSink.failure(e);
        }
    }

    private void checkOpen() {
        Check.invariant(state == State.OPEN, "I8: a session of the file sink goes on after its end");
    }

    private TidegateException failed(IOException cause) {
        state = State.FAILED;
        return FileSink.failure(cause);
    }
}
