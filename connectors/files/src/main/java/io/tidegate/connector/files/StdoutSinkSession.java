package io.tidegate.connector.files;

import io.tidegate.spi.Batch;
import io.tidegate.spi.ByteBuilder;
import io.tidegate.spi.Change;
import io.tidegate.spi.ChangeEncoder;
import io.tidegate.spi.Check;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.SinkContext;
import io.tidegate.spi.SinkSession;
import io.tidegate.spi.TidegateException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Writes lines in pieces. A reader that does not read holds up this sink's thread, and nothing else. */
final class StdoutSinkSession implements SinkSession {

    private static final int PIECE_BYTES = 64 << 10;

    private enum State {
        OPEN,
        FAILED,
        CLOSED
    }

    private final SinkContext context;
    private final ChangeEncoder encoder;
    private final StandardOutput output;
    private final StdoutSink.LineEnd lineEnd;
    private final List<Batch> accepted = new ArrayList<>();
    private final ByteBuilder buffer = new ByteBuilder(PIECE_BYTES, this::write);
    private boolean startsUncertain;
    private State state = State.OPEN;

    StdoutSinkSession(SinkContext context, ChangeEncoder encoder, StandardOutput output, StdoutSink.LineEnd lineEnd) {
        this.context = context;
        this.encoder = encoder;
        this.output = output;
        this.lineEnd = lineEnd;
    }

    @Override
    public void accept(Batch batch) {
        checkOpen();
        buffer.clear();
        startsUncertain = lineEnd.uncertain();
        for (Change change : batch.changes()) {
            encoder.encode(change, buffer);
            buffer.put('\n');
        }
        write(buffer.array(), 0, buffer.length());
        lineEnd.uncertain(false);
        buffer.clear();
        accepted.add(batch);
    }

    /** Lines, or a piece of one; what was written ends with a line only after the batch's last piece. */
    private void write(byte[] lines, int offset, int count) {
        try {
            if (startsUncertain) {
                output.stream().write('\n');
                startsUncertain = false;
            }
            lineEnd.uncertain(true);
            output.stream().write(lines, offset, count);
        } catch (IOException e) {
            state = State.FAILED;
            // Only a file can fail for another reason than that its reader has gone.
            throw output.regularFile()
                    ? new TidegateException(
                            ErrorCode.SINK_FAILED, "cannot write to the standard output: " + e.getMessage(), e)
                    : new TidegateException(
                            ErrorCode.SINK_CLOSED, "nobody reads the standard output any more: " + e.getMessage(), e);
        }
    }

    @Override
    public void flush() {
        checkOpen();
        try {
            output.stream().flush();
        } catch (IOException e) {
            state = State.FAILED;
            throw new TidegateException(
                    ErrorCode.SINK_FAILED, "cannot write to the standard output: " + e.getMessage(), e);
        }
        accepted.forEach(context::durable);
        accepted.clear();
    }

    /** Does nothing: a write to a pipe that nobody reads cannot be interrupted. */
    @Override
    public void abort() {}

    @Override
    public void close() {
        state = State.CLOSED;
    }

    private void checkOpen() {
        Check.invariant(state == State.OPEN, "I2: a session of the stdout sink goes on after its end");
    }
}
