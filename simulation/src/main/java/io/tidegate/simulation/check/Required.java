package io.tidegate.simulation.check;

import io.tidegate.spi.Checkpoint;
import io.tidegate.spi.SplitPlan;

/** What has to be delivered before a position may be persisted: each kind of upstream has its own rule. */
public interface Required {

    /** A part of a snapshot, which has no positions. */
    boolean ofSnapshot(SplitPlan plan);

    /** Plans became durable, or were found durable. */
    void planned(Checkpoint durable);

    /** Whether the target has to get this change; else a snapshot shows it, or it is none of ours. */
    boolean requires(long number);

    /** This split is going to be persisted at this position: everything before it must have landed. */
    void check(Checkpoint durable, SplitPlan plan, long at);
}
