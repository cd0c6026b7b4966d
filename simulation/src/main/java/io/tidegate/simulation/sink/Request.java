package io.tidegate.simulation.sink;

import io.tidegate.spi.Batch;
import java.util.List;

/**
 * One transaction on its way to the target. It lands or not, once; until that is known it is open.
 */
final class Request {

    private enum State {
        OPEN,
        LANDED,
        LOST
    }

    final int session;
    final List<Batch> batches;
    private State state = State.OPEN;
    private boolean answered;

    Request(int session, List<Batch> batches) {
        this.session = session;
        this.batches = List.copyOf(batches);
    }

    boolean open() {
        return state == State.OPEN;
    }

    boolean landed() {
        return state == State.LANDED;
    }

    /** The target answers it as soon as all before it are answered. */
    void answer() {
        answered = true;
    }

    boolean answered() {
        return answered;
    }

    void land() {
        state = State.LANDED;
    }

    void lose() {
        if (state == State.OPEN) {
            state = State.LOST;
        }
    }
}
