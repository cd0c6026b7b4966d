package io.tidegate.engine.session;

import io.tidegate.spi.Batch;
import io.tidegate.spi.Checkpoint;
import io.tidegate.spi.Preparation;
import io.tidegate.spi.Replan;
import io.tidegate.spi.SplitPlan;
import io.tidegate.spi.SplitProgress;
import io.tidegate.spi.TidegateException;
import java.util.List;

/** What a role tells the pipeline's thread. */
public sealed interface SessionEvent {

    /** Whether it answers a request to the store. */
    default boolean ofStore() {
        return this instanceof Loaded || this instanceof Wrote || this instanceof StoreFailed;
    }

    /** The store answered that this is durable now: after a read, or after a step of a birth. */
    record Loaded(Checkpoint durable) implements SessionEvent {}

    /** The gate's write is durable. */
    record Wrote() implements SessionEvent {}

    /** A read, or a write, of the store failed; the write may have landed. */
    record StoreFailed(TidegateException failure) implements SessionEvent {}

    /** The source asks for a step of its birth to be made durable. */
    record StepDue(Replan step) implements SessionEvent {}

    /** The source can be read. */
    record SourceReady(Preparation.Ready how) implements SessionEvent {}

    /** The sink takes batches. */
    record SinkReady() implements SessionEvent {}

    /** Splits were found while reading. */
    record Planned(List<SplitPlan> plans) implements SessionEvent {}

    /** The fate of all changes of a batch is final. */
    record Settled(Batch batch) implements SessionEvent {}

    /** The sink refuses a change, and is offered it again. */
    record Refused(TidegateException why) implements SessionEvent {}

    /** The source confirmed this record. */
    record Acknowledged(int split, SplitProgress durable) implements SessionEvent {}

    /** A role cannot go on; it ends. */
    record Failed(TidegateException failure) implements SessionEvent {}

    /** A role of the session has ended, and nothing of it can land any more. */
    record RoleEnded(SessionRole role) implements SessionEvent {}
}
