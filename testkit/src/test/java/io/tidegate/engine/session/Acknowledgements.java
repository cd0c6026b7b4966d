package io.tidegate.engine.session;

import io.tidegate.engine.env.Role;
import io.tidegate.spi.Checkpoint;
import io.tidegate.spi.SplitProgress;
import java.util.function.Consumer;

/** A newer record becomes due while an older one is being confirmed. The newest one is confirmed in the end (I9). */
abstract class Acknowledgements implements Runnable {

    /** Of a split that is being read. */
    static final class OfReader extends Acknowledgements {

        @Override
        public void run() {
            Mailbox mailbox = new Mailbox(() -> {});
            ReaderRole role = ScheduledRoles.reader(new ScheduledRoles.OneSplit(), mailbox);
            role.step();
            confirmsTheNewest(role, role::acknowledge, mailbox);
        }
    }

    /** Of a split that is not. */
    static final class OfSource extends Acknowledgements {

        @Override
        public void run() {
            Mailbox mailbox = new Mailbox(() -> {});
            SourceRole role = ScheduledRoles.source(new ScheduledRoles.OneSplit(), mailbox);
            role.step();
            role.prepare(Checkpoint.EMPTY);
            role.step();
            confirmsTheNewest(role, durable -> role.acknowledge(0, durable), mailbox);
        }
    }

    @SuppressWarnings("ReferenceEquality") // I1: this very object
    static void confirmsTheNewest(Role role, Consumer<SplitProgress> acknowledge, Mailbox mailbox) {
        SplitProgress newest = ScheduledRoles.progress(2);
        acknowledge.accept(ScheduledRoles.progress(1));
        Thread own = new Thread(role::step);
        own.start();
        acknowledge.accept(newest);
        Checked.join(own);
        role.step();
        SplitProgress last = null;
        for (SessionEvent event = mailbox.take(); event != null; event = mailbox.take()) {
            if (event instanceof SessionEvent.Acknowledged confirmed) {
                last = confirmed.durable();
            }
        }
        Checked.that(last == newest, "the newest record was never confirmed");
    }
}
