package io.tidegate.demo;

import io.tidegate.demo.shop.Load;
import io.tidegate.demo.shop.ShopDatabase;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.TidegateException;
import java.io.IOException;
import java.io.OutputStream;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One run: database, load and engine from start to end. {@link #run} decides everything on the thread that calls it; signals
 * and the other threads only put a {@link Happening} into its queue.
 *
 * <p>The order of the end: the load, then the engine (which delivers what is left), then the database.
 */
final class DemoRun {

    private static final Duration SNAPSHOT_LIMIT = Duration.ofSeconds(30);
    private static final Duration DELIVERY_LIMIT = Duration.ofSeconds(60);
    private static final Duration ASKING = Duration.ofMillis(200);

    /**
     * Exit statuses of an engine that was asked to end: gracefully, and by SIGINT or SIGTERM before it could handle them. A
     * terminal sends Ctrl-C to the engine too, which may be gone before we hear of it.
     */
    private static final Set<Integer> ASKED_TO_END = Set.of(0, 130, 143);

    private final DemoOptions options;
    private final OutputStream out;
    private final Consumer<String> notices;
    private final BlockingQueue<Happening> happenings = new LinkedBlockingQueue<>();

    /** @param notices takes a line for people */
    DemoRun(DemoOptions options, OutputStream out, Consumer<String> notices) {
        this.options = options;
        this.out = out;
        this.notices = notices;
    }

    /** Asks the run to end; any thread may. */
    void signal() {
        happenings.add(new Happening.Signal());
    }

    /** Runs to the end, and gives the exit status. */
    int run() throws IOException, InterruptedException {
        notices.accept("starting PostgreSQL " + ShopDatabase.POSTGRES_VERSION + " with a small shop …");
        try (ShopDatabase database = ShopDatabase.start();
                PipelineFiles files = PipelineFiles.in(database.folder(), database.url());
                Engines engines = options.killEvery().isPresent()
                        ? KilledEngines.start(files, database, out, happenings::add)
                        : OneEngine.start(files, happenings::add)) {
            describe(database, engines);
            Load load = Load.start(database, options.rate(), e -> happenings.add(new Happening.Failed(e)));
            End end;
            try {
                end = watch(engines, database);
            } finally {
                load.stop();
            }
            boolean everything =
                    end.why() == Why.TIME_IS_UP || (end.why() == Why.SIGNAL && engines.finishAfterSignal());
            if (everything) {
                engines.ensureRunning();
                end = awaitDelivery(engines, database, end);
            }
            return engines.finish(end, load.committed(), notices);
        }
    }

    /** Why a run ends. */
    enum Why {
        TIME_IS_UP,
        SIGNAL,
        READER_GONE,
        ENGINE_FAILED
    }

    /** @param status that of the engine if it has failed, else 0 */
    record End(Why why, int status) {
        static End of(Why why) {
            return new End(why, 0);
        }
    }

    private void describe(ShopDatabase database, Engines engines) {
        notices.accept(
                "a snapshot of " + ShopDatabase.TABLES.size() + " tables, and " + options.rate() + " changes a second, "
                        + options.length()
                                .map(length -> "for " + length.toSeconds() + " s")
                                .orElse("until Ctrl-C"));
        notices.accept("pipeline " + engines.pipeline() + "; change something yourself: psql " + database.url());
    }

    /** The length counts from when the log is read: a snapshot can hold all that a short load does. */
    private End watch(Engines engines, ShopDatabase database) throws IOException, InterruptedException {
        long snapshotEnd = deadline(Optional.of(SNAPSHOT_LIMIT));
        long end = deadline(Optional.empty());
        long kill = deadline(options.killEvery());
        boolean counting = options.length().isEmpty();
        while (true) {
            if (!counting && (snapshotEnd - System.nanoTime() <= 0 || database.readsLog(PipelineFiles.SLOT))) {
                counting = true;
                end = deadline(options.length());
            }
            long left = end - System.nanoTime();
            if (left <= 0) {
                return End.of(Why.TIME_IS_UP);
            }
            long life = kill - System.nanoTime();
            if (life <= 0) {
                engines.killAndStart();
                kill = deadline(options.killEvery());
                continue;
            }
            Duration wait = Duration.ofNanos(Math.min(left, life));
            End other = take(engines, counting || wait.compareTo(ASKING) < 0 ? wait : ASKING);
            if (other != null) {
                return other;
            }
        }
    }

    /** When this time from now is over, as {@link System#nanoTime}; without one, in a hundred years. */
    private static long deadline(Optional<Duration> length) {
        return System.nanoTime() + length.orElse(Duration.ofDays(36_500)).toNanos();
    }

    /** Waits until all that was committed is delivered, for a limited time. */
    private End awaitDelivery(Engines engines, ShopDatabase database, End end)
            throws IOException, InterruptedException {
        long committedUpTo = database.logEnd();
        long start = System.nanoTime();
        while (!database.delivered(PipelineFiles.SLOT, committedUpTo)) {
            if (System.nanoTime() - start > DELIVERY_LIMIT.toNanos()) {
                notices.accept("not everything was delivered within " + DELIVERY_LIMIT.toSeconds() + " s");
                return end;
            }
            End other = take(engines, ASKING);
            if (other != null && other.why() == Why.SIGNAL && engines.finishAfterSignal()) {
                engines.ensureRunning();
            } else if (other != null) {
                return other;
            }
        }
        return end;
    }

    /** Takes what happens next, and gives the end of the run if it means that. */
    private @Nullable End take(Engines engines, Duration limit) throws InterruptedException {
        Happening next = happenings.poll(limit.toNanos(), TimeUnit.NANOSECONDS);
        if (next == null) {
            return null;
        }
        if (next instanceof Happening.Signal) {
            return End.of(Why.SIGNAL);
        }
        if (next instanceof Happening.ReaderGone) {
            return End.of(Why.READER_GONE);
        }
        if (next instanceof Happening.EngineEnded ended) {
            if (!engines.isCurrent(ended.engine())) {
                return null;
            }
            return ASKED_TO_END.contains(ended.status())
                    ? End.of(Why.SIGNAL)
                    : new End(Why.ENGINE_FAILED, ended.status());
        }
        Exception cause = ((Happening.Failed) next).cause();
        throw new TidegateException(
                cause instanceof SQLException ? ErrorCode.SOURCE_UNAVAILABLE : ErrorCode.INTERNAL,
                "the demo cannot go on: " + cause.getMessage(),
                "The demo makes everything anew: start it again.",
                cause);
    }
}
