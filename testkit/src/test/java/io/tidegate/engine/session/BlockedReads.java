package io.tidegate.engine.session;

import io.tidegate.spi.ChangeOutput;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.Position;
import io.tidegate.spi.SplitPlan;
import io.tidegate.spi.SplitReader;
import io.tidegate.spi.TidegateException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A session ends while its reader opens, or reads what never comes, or says farewell to a server that does not answer. The
 * reader is freed of whatever it waits for, closed once, and says once that it has ended.
 */
final class BlockedReads implements Runnable {

    @Override
    public void run() {
        Mailbox mailbox = new Mailbox(() -> {});
        Blocked source = new Blocked();
        ReaderRole role = ScheduledRoles.reader(source, mailbox);
        Thread reader = new Thread(() -> ScheduledRoles.toItsEnd(role));
        reader.start();
        Checked.await(source.opening);
        role.abort();
        Checked.join(reader);
        int ends = 0;
        for (SessionEvent event = mailbox.take(); event != null; event = mailbox.take()) {
            Checked.that(ends == 0, "it speaks after its end");
            ends += event instanceof SessionEvent.RoleEnded ? 1 : 0;
        }
        Checked.that(ends == 1, "it does not say once that it has ended");
        Checked.that(source.closed.get() == source.opened.get(), "not closed as often as it was opened");
        Checked.that(role.ended(), "ended, and not any more");
    }

    private static final class Blocked extends ScheduledRoles.OneSplit {

        final CountDownLatch opening = new CountDownLatch(1);
        final CountDownLatch aborted = new CountDownLatch(1);
        final AtomicInteger opened = new AtomicInteger();
        final AtomicInteger closed = new AtomicInteger();

        @Override
        public SplitReader open(SplitPlan plan, Position from) {
            opened.incrementAndGet();
            opening.countDown();
            return this;
        }

        @Override
        public State poll(ChangeOutput out, Duration maxWait) {
            Checked.await(aborted);
            throw new TidegateException(ErrorCode.SOURCE_UNAVAILABLE, "cut");
        }

        @Override
        public void abort() {
            aborted.countDown();
        }

        @Override
        public void close() {
            Checked.await(aborted);
            closed.incrementAndGet();
        }
    }
}
