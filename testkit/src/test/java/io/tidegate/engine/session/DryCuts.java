package io.tidegate.engine.session;

import io.tidegate.spi.ChangeOutput;
import io.tidegate.testkit.fake.NumberPositions;
import io.tidegate.testkit.fake.Numbered;
import java.time.Duration;

/**
 * The sink begins with one batch while the reader cuts the next. Afterwards the sink has none of this split waiting, and what
 * the reader reads next is cut as soon as there is no more of it: it would else wait forever.
 */
final class DryCuts implements Runnable {

    @Override
    public void run() {
        Mailbox mailbox = new Mailbox(() -> {});
        Trickle source = new Trickle();
        ReaderRole role = ScheduledRoles.largeBatches(source, mailbox);
        ScheduledRoles.steps(role, 2);
        Thread sink = new Thread(role::sinkTook);
        sink.start();
        source.full = true;
        role.step();
        Checked.join(sink);
        role.sinkTook();
        source.full = false;
        role.step();
        int cut = 0;
        for (; role.peek() != null; role.taken()) {
            cut++;
        }
        Checked.that(cut == 3, "a batch is not cut although the sink has none of this split waiting");
    }

    /** One change a poll, or as many as fill a batch. */
    private static final class Trickle extends ScheduledRoles.OneSplit {

        private boolean full;
        private int given;

        @Override
        public State poll(ChangeOutput out, Duration maxWait) {
            for (int i = 0; i < (full ? ScheduledRoles.LARGE : 1); i++) {
                given++;
                out.change(Numbered.change("log", given), new NumberPositions.Place(given));
            }
            return State.DRY;
        }
    }
}
