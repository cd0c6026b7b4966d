package io.tidegate.engine.session;

import io.tidegate.spi.ChangeOutput;
import java.time.Duration;

/** A reader comes to its end by itself while its session closes it. It ends once, and for good. */
final class ClosedAtItsEnd implements Runnable {

    @Override
    public void run() {
        Mailbox mailbox = new Mailbox(() -> {});
        ReaderRole role = ScheduledRoles.reader(new AtItsEnd(), mailbox);
        role.step();
        Thread reader = new Thread(() -> ScheduledRoles.toItsEnd(role));
        reader.start();
        role.close();
        Checked.join(reader);
        Checked.that(mailbox.take() instanceof SessionEvent.RoleEnded, "it does not say that it has ended");
        Checked.that(mailbox.take() == null, "it speaks after its end");
        Checked.that(role.ended(), "ended, and not any more");
    }

    private static final class AtItsEnd extends ScheduledRoles.OneSplit {
        @Override
        public State poll(ChangeOutput out, Duration maxWait) {
            return State.FINISHED;
        }
    }
}
