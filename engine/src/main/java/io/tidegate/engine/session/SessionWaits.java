package io.tidegate.engine.session;

import io.tidegate.engine.gate.Gate;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The roles of a session, asked what they wait for. Of the pipeline's thread. */
record SessionWaits(
        StoreRole store, SourceRole source, @Nullable SinkRole sink, Readers readers) {

    /** Of one that is getting ready, or reads. */
    List<Wait> working(@Nullable Gate gate, @Nullable SessionFlow flow, boolean reading, long now) {
        List<Wait> waits = new ArrayList<>();
        calls(waits, gate, flow);
        source.waits(waits);
        if (flow != null) {
            flow.waits(waits);
        }
        if (reading) {
            readers.waits(waits, source.whatItDoes(), now);
        }
        return waits;
    }

    /** Of one that is over since then, and waits for its roles to end. */
    List<Wait> ending(@Nullable Gate gate, @Nullable SessionFlow flow, long since, boolean answersDue) {
        List<Wait> waits = new ArrayList<>();
        calls(waits, gate, flow);
        String on = "the session is over, and this has not ended: " + left(answersDue);
        waits.add(new Wait(Wait.Kind.SESSION_END, since, on));
        return waits;
    }

    private void calls(List<Wait> waits, @Nullable Gate gate, @Nullable SessionFlow flow) {
        store.waits(waits);
        if (sink != null) {
            sink.waits(
                    waits,
                    gate == null ? 0 : gate.batchesInFlight(),
                    flow == null ? Long.MIN_VALUE : flow.sinkMovedAt());
        }
    }

    /** What has to end before the session has. */
    private String left(boolean answersDue) {
        List<String> left = new ArrayList<>();
        readers.each(reader -> left.add(reader.name()));
        if (sink != null) {
            String call = sink.busyWith();
            left.add(call == null ? "the sink" : "the sink's " + call);
        }
        if (answersDue) {
            String call = store.busyWith();
            left.add(call == null ? "the store" : "the store's " + call);
        }
        return left.isEmpty() ? "the source" : String.join(", ", left);
    }
}
