package io.tidegate.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidegate.engine.env.Role;
import io.tidegate.engine.env.Threads;
import io.tidegate.testkit.await.Await;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** The thread of a role: what wakes it is never lost. */
class RoleThreadTest {

    private static final Duration LIMIT = Duration.ofSeconds(10);

    /** A step that parks, as any lock or queue does, takes the thread's permit with it. */
    @Test
    void aWakeUpDuringAStepEndsTheWaitAfterItAlthoughTheStepWaitedItself() {
        CountDownLatch inStep = new CountDownLatch(1);
        CountDownLatch woken = new CountDownLatch(1);
        AtomicInteger steps = new AtomicInteger();
        Threads.Running thread = Threads.system().start("role under test", new Role() {
            @Override
            public Step step() {
                if (steps.incrementAndGet() == 1) {
                    inStep.countDown();
                    try {
                        woken.await();
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                    LockSupport.parkNanos(1_000);
                    return Step.IDLE;
                }
                return Step.ENDED;
            }

            @Override
            public long idleNanosMax() {
                return Duration.ofHours(1).toNanos();
            }
        });
        Await.until("the first step", LIMIT, () -> inStep.getCount() == 0);
        thread.wake();
        woken.countDown();
        Await.until("the second step", LIMIT, thread::ended);
    }

    @Test
    void eachOfManyWakeUpsIsFollowedByAStep() {
        AtomicInteger asked = new AtomicInteger();
        AtomicInteger done = new AtomicInteger();
        Threads.Running thread = Threads.system().start("role under test", new Role() {
            @Override
            public Step step() {
                done.set(asked.get());
                return done.get() < 0 ? Step.ENDED : Step.IDLE;
            }

            @Override
            public long idleNanosMax() {
                return Duration.ofHours(1).toNanos();
            }
        });
        for (int i = 1; i <= 20_000; i++) {
            int number = i;
            asked.set(number);
            thread.wake();
            if (i % 100 == 0) {
                Await.until("step " + i, LIMIT, () -> done.get() == number);
            }
        }
        asked.set(-1);
        thread.wake();
        Await.until("the end", LIMIT, thread::ended);
        assertThat(done).hasValue(-1);
    }
}
