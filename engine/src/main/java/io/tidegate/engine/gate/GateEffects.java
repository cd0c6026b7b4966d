package io.tidegate.engine.gate;

import io.tidegate.spi.Position;
import io.tidegate.spi.SplitPlan;
import io.tidegate.spi.SplitProgress;
import org.jspecify.annotations.Nullable;

/** What a gate wants done. Only recorded by the receiver, which never calls back into the gate from here. */
public interface GateEffects {

    /** Read this split, from here. */
    void open(int split, SplitPlan plan, @Nullable Position from);

    /** Write this; answered by {@link Gate#wrote} or {@link Gate#storeFailed}. One at a time. */
    void persist(GateWrite write);

    /** This very record is durable: tell the source (I1); answered by {@link Gate#acknowledged}. */
    void acknowledge(int split, SplitProgress durable);

    /** The session is over. A write under way is the last one. */
    void end(GateEnd how, String why);
}
