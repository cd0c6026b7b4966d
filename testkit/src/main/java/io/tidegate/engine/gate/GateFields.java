package io.tidegate.engine.gate;

import java.util.List;
import java.util.Map;

/** Says of each instance field of the core how {@link GateTwin} and {@link GateDigest} treat it. */
public final class GateFields {

    /** What becomes of a field in a copy and in a digest. */
    public enum Treatment {
        /** Copied, and a state that differs in it is another state. */
        STATE,
        /** Copied, but the same in all states that are compared with each other: set once, or made of what is. */
        FIXED,
        /** Not copied: the copy has its own. */
        OWN
    }

    private GateFields() {}

    public static List<Class<?>> classes() {
        return List.of(Gate.class, SplitLedger.class, Batcher.class);
    }

    public static Map<String, Treatment> of(Class<?> type) {
        if (type == Gate.class) {
            return GATE;
        }
        return type == SplitLedger.class ? LEDGER : BATCHER;
    }

    private static final Map<String, Treatment> GATE = Map.ofEntries(
            Map.entry(
                    "session", Treatment.FIXED), // inputs come with this number or an earlier one, nothing else counts
            Map.entry("limits", Treatment.FIXED),
            Map.entry("order", Treatment.FIXED),
            Map.entry("effects", Treatment.OWN),
            Map.entry("splits", Treatment.STATE),
            Map.entry("dirty", Treatment.STATE),
            Map.entry("handles", Treatment.FIXED), // made of the splits' plans
            Map.entry("writing", Treatment.STATE),
            Map.entry("batchesInFlight", Treatment.STATE),
            Map.entry("bytesInFlight", Treatment.STATE),
            Map.entry("acknowledgementsDue", Treatment.STATE),
            Map.entry("failures", Treatment.STATE),
            Map.entry("changesUnsaved", Treatment.STATE),
            Map.entry("now", Treatment.STATE), // as the distance of the times below
            Map.entry("dueAt", Treatment.STATE),
            Map.entry("earliestAt", Treatment.STATE),
            Map.entry("stopAt", Treatment.STATE),
            Map.entry("stopping", Treatment.STATE),
            Map.entry("ended", Treatment.STATE));

    private static final Map<String, Treatment> LEDGER = Map.ofEntries(
            Map.entry("handle", Treatment.FIXED),
            Map.entry("plan", Treatment.FIXED),
            Map.entry("parentsLeft", Treatment.STATE),
            Map.entry("children", Treatment.FIXED), // made of the splits' plans
            Map.entry("tracked", Treatment.STATE),
            Map.entry("frontier", Treatment.STATE),
            Map.entry("saved", Treatment.STATE),
            Map.entry("acked", Treatment.STATE),
            Map.entry("opened", Treatment.STATE),
            Map.entry("finished", Treatment.STATE),
            Map.entry("dirty", Treatment.STATE),
            Map.entry("head", Treatment.STATE),
            Map.entry("next", Treatment.STATE),
            Map.entry("resume", Treatment.STATE),
            Map.entry("changes", Treatment.STATE));

    private static final Map<String, Treatment> BATCHER = Map.of(
            "sequence", Treatment.STATE,
            "changes", Treatment.STATE,
            "bytes", Treatment.STATE,
            "resume", Treatment.STATE);
}
