package io.tidegate.demo;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

/** Lets a run end in its own order, and with its own exit status, when a signal asks this process to end. */
final class EndOfProcess {

    private final CompletableFuture<Integer> status = new CompletableFuture<>();
    private final Thread hook;

    private EndOfProcess(Runnable asked) {
        hook = new Thread(
                () -> {
                    asked.run();
                    Runtime.getRuntime().halt(status.join());
                },
                "demo-shutdown");
    }

    /** From now on a signal (SIGINT, SIGTERM, SIGHUP) calls {@code asked}, and the process waits for {@link #ended}. */
    static EndOfProcess watch(Runnable asked) {
        EndOfProcess end = new EndOfProcess(asked);
        Runtime.getRuntime().addShutdownHook(end.hook);
        return end;
    }

    /** Called last. Returns the status if no signal came; else the process ends with it, and this does not return. */
    int ended(int exitStatus) throws InterruptedException {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
            return exitStatus;
        } catch (IllegalStateException shuttingDown) {
            status.complete(exitStatus);
            new CountDownLatch(1).await();
            throw shuttingDown;
        }
    }
}
