package io.tidegate.engine.session;

import io.tidegate.spi.ChangeOutput;
import io.tidegate.testkit.fake.NumberPositions;
import io.tidegate.testkit.fake.Numbered;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A reader gives two changes and ends, while the pipeline's thread takes. All of it arrives, in order, and none of it is
 * still to come when the reader has said that it has ended.
 */
final class ReadBatches implements Runnable {

    private static final int CHANGES = 2;

    @Override
    public void run() {
        Mailbox mailbox = new Mailbox(() -> {});
        ReaderRole role = ScheduledRoles.reader(new Rows(), mailbox);
        Thread reader = new Thread(() -> ScheduledRoles.toItsEnd(role));
        reader.start();
        List<ReaderRole.Item> taken = new ArrayList<>();
        boolean ended = false;
        for (int i = 0; i < 4; i++) {
            ended |= mailbox.take() instanceof SessionEvent.RoleEnded;
            ReaderRole.Item next = role.peek();
            if (next != null) {
                taken.add(next);
                role.taken();
            } else if (ended) {
                check(taken);
            }
        }
        Checked.join(reader);
        for (ReaderRole.Item next = role.peek(); next != null; next = role.peek()) {
            taken.add(next);
            role.taken();
        }
        check(taken);
    }

    private static void check(List<ReaderRole.Item> taken) {
        Checked.that(taken.size() == CHANGES + 1, "not all of it came");
        for (int i = 0; i < CHANGES; i++) {
            Checked.that(
                    taken.get(i) instanceof ReaderRole.Cut cut && cut.batch().sequence() == i, "batches out of order");
        }
        Checked.that(taken.get(CHANGES) instanceof ReaderRole.Finish, "no finish at the end");
    }

    private static final class Rows extends ScheduledRoles.OneSplit {

        private int given;

        @Override
        public State poll(ChangeOutput out, Duration maxWait) {
            if (given == CHANGES) {
                return State.FINISHED;
            }
            given++;
            out.change(Numbered.change("log", given), new NumberPositions.Place(given));
            return State.MORE;
        }
    }
}
