package io.tidegate.engine.session;

import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * What the roles tell the pipeline's thread. Bounded by what is in flight: a batch is settled once, a write answered once, a
 * role ends once. Any thread posts; the pipeline's thread takes.
 */
public final class Mailbox {

    private final ConcurrentLinkedQueue<SessionEvent> events = new ConcurrentLinkedQueue<>();
    private final Runnable wakePipeline;

    public Mailbox(Runnable wakePipeline) {
        this.wakePipeline = wakePipeline;
    }

    public void post(SessionEvent event) {
        events.add(event);
        wakePipeline.run();
    }

    /** Something was put into a queue that the pipeline's thread reads. */
    void nudge() {
        wakePipeline.run();
    }

    @Nullable
    SessionEvent take() {
        return events.poll();
    }
}
