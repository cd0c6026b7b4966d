package io.tidegate.engine.env;

import java.util.concurrent.locks.LockSupport;

/** Gives roles their threads. Any thread. */
public interface Threads {

    /** Runs the role's steps on a thread of its own, until it ends. */
    Running start(String name, Role role);

    /** Waits, on the thread of the role that calls; may return early. */
    void pause(long nanos);

    /** A role that runs. Any thread. */
    interface Running {
        /** Ends a wait between steps; never interrupts a step. */
        void wake();

        /** Whether the role has ended. */
        boolean ended();

        /** Waits until the role has ended. Returns false if it has not after {@code nanos}. */
        boolean await(long nanos) throws InterruptedException;
    }

    /** Daemon threads of the JVM: one that is stuck does not keep the process alive. */
    static Threads system() {
        return new Threads() {
            @Override
            public Running start(String name, Role role) {
                RoleThread thread = new RoleThread(name, role);
                thread.start();
                return thread;
            }

            @Override
            public void pause(long nanos) {
                LockSupport.parkNanos(this, nanos);
            }
        };
    }
}
