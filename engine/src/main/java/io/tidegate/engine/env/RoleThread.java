package io.tidegate.engine.env;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Runs one role. A wake-up that comes during a step is kept for the wait after it. */
final class RoleThread implements Threads.Running, Runnable {

    private static final System.Logger LOG = System.getLogger(RoleThread.class.getName());

    private final Role role;
    private final Thread thread;
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile boolean awake;

    RoleThread(String name, Role role) {
        this.role = role;
        thread = new Thread(this, name);
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    @Override
    public void run() {
        try {
            while (true) {
                Role.Step step = role.step();
                if (step == Role.Step.ENDED) {
                    return;
                }
                if (step == Role.Step.IDLE) {
                    idle();
                }
                awake = false;
            }
        } catch (RuntimeException | Error e) {
            LOG.log(System.Logger.Level.ERROR, "a role let a failure escape: " + thread.getName(), e);
            throw e;
        } finally {
            ended.countDown();
        }
    }

    private void idle() {
        long until = System.nanoTime() + role.idleNanosMax();
        while (!awake) {
            long left = until - System.nanoTime();
            if (left <= 0) {
                return;
            }
            LockSupport.parkNanos(this, left);
        }
    }

    @Override
    public void wake() {
        if (!awake) {
            awake = true;
            LockSupport.unpark(thread);
        }
    }

    @Override
    public boolean ended() {
        return ended.getCount() == 0;
    }

    @Override
    public boolean await(long nanos) throws InterruptedException {
        return ended.await(nanos, TimeUnit.NANOSECONDS);
    }
}
