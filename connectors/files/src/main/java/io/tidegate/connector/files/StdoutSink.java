package io.tidegate.connector.files;

import io.tidegate.spi.ChangeEncoder;
import io.tidegate.spi.Finding;
import io.tidegate.spi.Sink;
import io.tidegate.spi.SinkContext;
import io.tidegate.spi.SinkSession;
import java.util.List;

/** Writes to the standard output. Durable means written to the pipe: what its reader does with it nobody knows. */
final class StdoutSink implements Sink {

    private final StandardOutput output;
    private final boolean readable;
    private final boolean colored;
    private final LineEnd lineEnd = new LineEnd();

    StdoutSink(StandardOutput output, boolean readable, boolean colored) {
        this.output = output;
        this.readable = readable;
        this.colored = colored;
    }

    /** Whether a failed write may have left half a line. Handed from each session to the next, as the output is. */
    static final class LineEnd {
        private boolean uncertain;

        boolean uncertain() {
            return uncertain;
        }

        void uncertain(boolean now) {
            uncertain = now;
        }
    }

    @Override
    public List<Finding> check() {
        return List.of();
    }

    @Override
    public SinkSession open(SinkContext context) {
        ChangeEncoder encoder = readable ? new ReadableEncoder(colored) : context.encoder();
        return new StdoutSinkSession(context, encoder, output, lineEnd);
    }
}
