package io.tidegate.simulation.source;

import io.tidegate.simulation.check.Held;
import io.tidegate.simulation.stage.Fault;
import io.tidegate.simulation.stage.Feature;
import io.tidegate.simulation.stage.Life;
import io.tidegate.simulation.stage.Stage;
import io.tidegate.spi.Change;
import io.tidegate.spi.ChangeOutput;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.Position;
import io.tidegate.spi.TidegateException;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** The connections of one session of a source, and what can happen to a call on them. */
final class Calls {

    static final int PUT_OFF_ONE_IN = 5;

    private static final long HANG_NANOS_MAX = 3_000_000_000L;
    private static final long SLOW_NANOS_MAX = 150_000_000L;
    private static final int DELAY_MILLIS_MAX = 60;
    private static final int BLOCKING_ONE_IN = 8;
    private static final int SLOW_CLOSE_ONE_IN = 8;
    private static final long CLOSE_NANOS_MAX = 200_000_000L;

    final Stage stage;
    final Life process;
    private final Held held;
    /** Readers that were ever opened: each may hold something. */
    private int readers;

    private boolean aborted;

    Calls(Stage stage, Life process, Held held) {
        this.held = held;
        held.begins();
        this.stage = stage;
        this.process = process;
    }

    void readerOpens() {
        readers++;
    }

    /** Gives a change to the engine. */
    void give(ChangeOutput out, Change change, @Nullable Position resume) {
        held.given(change.size(), readers);
        out.change(change, resume);
    }

    /** Closing a reader can take a while. */
    void closeReader() {
        if (stage.luck().below(SLOW_CLOSE_ONE_IN) == 0 && !process.isDead()) {
            process.await(stage.luck().between(1, CLOSE_NANOS_MAX), () -> false);
        }
    }

    void abort() {
        aborted = true;
    }

    boolean aborted() {
        return aborted;
    }

    /** A call that may find the connection gone. */
    void pass(String call, Fault fails) {
        process.pass(call);
        if (stage.faults().strikes(fails)) {
            throw gone(call);
        }
    }

    /** A call that may not return for long. */
    void hang(String call, Fault hangs) {
        if (stage.faults().strikes(hangs)) {
            long nanos = stage.faults().between(1, HANG_NANOS_MAX);
            process.await(nanos, () -> aborted || stage.faults().isOff());
            if (aborted) {
                throw gone(call);
            }
        }
    }

    TidegateException gone(String call) {
        return new TidegateException(ErrorCode.SOURCE_UNAVAILABLE, "the connection is gone, at " + call);
    }

    /** The server takes its time, if snapshots are slow. */
    void slowly() {
        if (stage.has(Feature.SLOW_SNAPSHOTS)) {
            stage.scheduler().rest(stage.luck().between(1, SLOW_NANOS_MAX), () -> aborted);
        }
    }

    /** A poll found nothing: it waits, in the middle of its step or at its end, and sometimes for longer than it should. */
    void waitForMore(Duration maxWait, BooleanSupplier more) {
        long nanos = maxWait.toNanos()
                + Duration.ofMillis(stage.luck().below(DELAY_MILLIS_MAX)).toNanos();
        if (stage.has(Feature.BLOCKING_POLLS) && stage.luck().below(BLOCKING_ONE_IN) == 0) {
            process.await(nanos, () -> aborted || more.getAsBoolean());
            if (aborted) {
                throw gone("poll");
            }
        } else {
            stage.scheduler().rest(nanos, () -> aborted || more.getAsBoolean());
        }
    }
}
