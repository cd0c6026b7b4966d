package io.tidegate.engine.session;

import io.tidegate.spi.Batch;
import io.tidegate.spi.RejectedException;
import io.tidegate.spi.SinkContext;
import io.tidegate.spi.SinkSession;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * A sink reports its first batch from a thread of its own while its second one is refused and offered again. Each batch is
 * settled once, and the session does not fail.
 */
final class AsyncReports implements Runnable {

    @Override
    public void run() {
        Mailbox mailbox = new Mailbox(() -> {});
        Refusing sink = new Refusing();
        SinkRole role = ScheduledRoles.sink(sink::open, mailbox);
        ReaderRole reader = ScheduledRoles.reader(new ScheduledRoles.OneSplit(), mailbox);
        Batch first = ScheduledRoles.batch(0);
        Batch second = ScheduledRoles.batch(1);
        role.hand(first, reader);
        role.hand(second, reader);
        Thread reporter = new Thread(() -> {
            Checked.await(sink.handed);
            role.durable(first);
        });
        reporter.start();
        ScheduledRoles.steps(role, 6);
        Checked.join(reporter);
        List<Batch> settled = new ArrayList<>();
        for (SessionEvent event = mailbox.take(); event != null; event = mailbox.take()) {
            Checked.that(!(event instanceof SessionEvent.Failed), "the session failed");
            if (event instanceof SessionEvent.Settled done) {
                settled.add(done.batch());
            }
        }
        Checked.that(
                settled.size() == 2 && settled.contains(first) && settled.contains(second), "not each settled once");
    }

    /** Refuses its second batch once. */
    private static final class Refusing implements SinkSession {

        final CountDownLatch handed = new CountDownLatch(1);
        private SinkContext context;
        private Batch refused;
        private Batch unreported;

        SinkSession open(SinkContext given) {
            context = given;
            return this;
        }

        @Override
        public void accept(Batch batch) {
            if (handed.getCount() > 0) {
                handed.countDown();
            } else if (refused == null) {
                refused = batch;
                throw new RejectedException(batch, 0, "once");
            } else {
                unreported = batch;
            }
        }

        @Override
        public void flush() {
            if (unreported != null) {
                context.durable(unreported);
                unreported = null;
            }
        }

        @Override
        public void abort() {}

        @Override
        public void close() {}
    }
}
