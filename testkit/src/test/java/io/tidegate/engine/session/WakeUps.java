package io.tidegate.engine.session;

import io.tidegate.engine.env.Role;
import io.tidegate.engine.env.Threads;
import io.tidegate.spi.Batch;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** Two threads post, and a role that waits for as long as nobody wakes it takes what they posted. */
final class WakeUps implements Runnable {

    private static final int EVENTS = 2;

    @Override
    public void run() {
        CountDownLatch ended = new CountDownLatch(1);
        Threads.Running[] running = new Threads.Running[1];
        Mailbox mailbox = new Mailbox(() -> running[0].wake());
        running[0] = Threads.system().start("role", new Taker(mailbox, ended));
        Thread other = new Thread(() -> mailbox.post(event(1)));
        other.start();
        mailbox.post(event(0));
        Checked.await(ended);
        Checked.join(other);
    }

    private static SessionEvent event(int number) {
        return new SessionEvent.Settled(new Batch(0, number, "", List.of(), 0));
    }

    private static final class Taker implements Role {

        private final Mailbox mailbox;
        private final CountDownLatch ended;
        private int taken;

        Taker(Mailbox mailbox, CountDownLatch ended) {
            this.mailbox = mailbox;
            this.ended = ended;
        }

        @Override
        public Step step() {
            while (mailbox.take() != null) {
                taken++;
            }
            if (taken < EVENTS) {
                return Step.IDLE;
            }
            ended.countDown();
            return Step.ENDED;
        }

        @Override
        public long idleNanosMax() {
            return Long.MAX_VALUE / 2;
        }
    }
}
