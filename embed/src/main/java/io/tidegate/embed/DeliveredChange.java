package io.tidegate.embed;

import io.tidegate.spi.Batch;
import io.tidegate.spi.ByteBuilder;
import io.tidegate.spi.Change;
import io.tidegate.spi.ChangeEncoder;
import io.tidegate.spi.Op;
import io.tidegate.spi.RejectedException;
import java.nio.charset.StandardCharsets;

/** A change in the hands of a handler. {@link #change} may be kept and read elsewhere; the rest belongs to the handler's call. */
public final class DeliveredChange {

    private static final int LINE_BYTES = 512;

    private final Batch batch;
    private final int index;
    private final ChangeEncoder encoder;
    private final Thread owner;

    DeliveredChange(Batch batch, int index, ChangeEncoder encoder) {
        this.batch = batch;
        this.index = index;
        this.encoder = encoder;
        this.owner = Thread.currentThread();
    }

    /** The change as the source gave it, with its values not yet turned into text. */
    public Change change() {
        return batch.changes().get(index);
    }

    public Op op() {
        return change().op();
    }

    /** Schema and name of the table, unquoted. */
    public String table() {
        return change().table().display();
    }

    /**
     * The change as one line of JSON in the pipeline's format.
     *
     * @throws IllegalStateException another thread than the handler's calls it
     */
    public String json() {
        if (Thread.currentThread() != owner) {
            throw new IllegalStateException("json() belongs to the thread that the handler is called by");
        }
        ByteBuilder line = new ByteBuilder(LINE_BYTES);
        encoder.encode(change(), line);
        return new String(line.array(), 0, line.length(), StandardCharsets.UTF_8);
    }

    /**
     * What a handler throws to refuse this change for good. A lost connection or a timeout is never that, but an exception of
     * any other kind.
     *
     * @param reason for people; it is logged, so it should hold no values of the row
     */
    public RejectedException rejected(String reason) {
        return new RejectedException(batch, index, reason);
    }
}
