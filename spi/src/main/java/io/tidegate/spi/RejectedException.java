package io.tidegate.spi;

/**
 * The sink, connected and answering, refuses a change for good. Nothing of the batch counts as accepted, nor of any
 * batch after it: they are handed over again, in order, or the pipeline halts (I11). A lost connection, a timeout or an
 * unknown outcome is never this.
 */
public final class RejectedException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final transient Batch batch;
    private final int index;

    public RejectedException(Batch batch, int index, String reason) {
        super(reason);
        this.batch = batch;
        this.index = index;
    }

    public Batch batch() {
        return batch;
    }

    /** Which change of the batch. */
    public int index() {
        return index;
    }

    public String reason() {
        return String.valueOf(getMessage());
    }
}
