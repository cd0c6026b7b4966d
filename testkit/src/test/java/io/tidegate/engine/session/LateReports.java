package io.tidegate.engine.session;

import io.tidegate.spi.Batch;
import io.tidegate.spi.SinkSession;
import java.util.concurrent.CountDownLatch;

/**
 * A session ends while its sink's own thread reports a batch. The report is no failure, and nothing is reported any more when
 * the sink has said that it has ended (I2).
 */
final class LateReports implements Runnable {

    @Override
    public void run() {
        Mailbox mailbox = new Mailbox(() -> {});
        Accepting sink = new Accepting();
        SinkRole role = ScheduledRoles.sink(context -> sink, mailbox);
        Batch batch = ScheduledRoles.batch(0);
        role.hand(batch, ScheduledRoles.reader(new ScheduledRoles.OneSplit(), mailbox));
        Thread writer = new Thread(() -> ScheduledRoles.toItsEnd(role));
        Thread reporter = new Thread(() -> {
            Checked.await(sink.handed);
            role.durable(batch);
            sink.reported.countDown();
        });
        writer.start();
        reporter.start();
        Checked.await(sink.handed);
        role.abort();
        Checked.join(writer);
        Checked.join(reporter);
        Checked.that(mailbox.take() instanceof SessionEvent.SinkReady, "not open");
        Checked.that(mailbox.take() instanceof SessionEvent.Settled, "the report did not come before the end");
        Checked.that(mailbox.take() instanceof SessionEvent.RoleEnded, "it does not say that it has ended");
        Checked.that(mailbox.take() == null, "it speaks after its end");
        Checked.that(role.ended(), "ended, and not any more");
    }

    private static final class Accepting implements SinkSession {

        final CountDownLatch handed = new CountDownLatch(1);
        final CountDownLatch reported = new CountDownLatch(1);

        @Override
        public void accept(Batch batch) {
            handed.countDown();
        }

        @Override
        public void flush() {}

        @Override
        public void abort() {}

        @Override
        public void close() {
            Checked.await(reported);
        }
    }
}
