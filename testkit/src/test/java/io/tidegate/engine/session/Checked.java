package io.tidegate.engine.session;

import java.util.concurrent.CountDownLatch;

/** What scenarios wait for and check. The waits have no limit: that a scenario hangs is seen from outside. */
final class Checked {

    private Checked() {}

    static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static void that(boolean condition, String what) {
        if (!condition) {
            throw new IllegalStateException(what);
        }
    }
}
