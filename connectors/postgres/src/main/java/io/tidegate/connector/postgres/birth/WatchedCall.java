package io.tidegate.connector.postgres.birth;

import io.tidegate.connector.postgres.server.SqlSession;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.SourceContext;
import io.tidegate.spi.TidegateException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * Runs one call that waits on the server for other transactions, and says meanwhile for which. The call has a thread and a
 * connection of its own; cutting that connection ends it.
 */
final class WatchedCall {

    private static final int LOOK_MILLIS = 1000;

    private WatchedCall() {}

    /**
     * @param control asks who blocks the call, on the calling thread
     * @param backend the call's own process on the server
     */
    static <T> T run(SourceContext context, SqlSession control, int backend, Supplier<T> call, Runnable abort)
            throws InterruptedException {
        FutureTask<T> task = new FutureTask<>(call::get);
        Thread thread = new Thread(task, "tidegate-" + context.pipeline() + "-slot");
        thread.setDaemon(true);
        thread.start();
        boolean ended = false;
        try {
            while (true) {
                try {
                    T result = task.get(LOOK_MILLIS, TimeUnit.MILLISECONDS);
                    ended = true;
                    return result;
                } catch (TimeoutException e) {
                    String pids = control.one(
                            "SELECT array_to_string(pg_blocking_pids(?), ', ')", row -> row.getString(1), backend);
                    context.doing("making a replication slot: waiting for transactions that are older than it, pids "
                            + (pids.isEmpty() ? "not known" : pids));
                }
            }
        } catch (ExecutionException e) {
            ended = true;
            if (e.getCause() instanceof TidegateException failure) {
                throw failure;
            }
            throw new TidegateException(ErrorCode.INTERNAL, "making a replication slot failed", e.getCause());
        } finally {
            if (!ended) {
                abort.run();
            }
        }
    }
}
