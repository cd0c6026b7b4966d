package io.tidegate.bench.contender;

import io.tidegate.bench.process.Arguments;
import io.tidegate.bench.process.ChildReport;
import io.tidegate.embed.EmbeddedPipeline;
import io.tidegate.spi.Batch;
import io.tidegate.spi.Change;
import io.tidegate.spi.Sink;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Tidegate in a process of its own, on a database that is being written to. Arguments:
 *
 * <ul>
 *   <li>{@code url}, {@code table}, {@code slot}, {@code publication}: what it reads; slot and publication are there
 *   <li>{@code state}: the folder of its state; on a restart the same
 *   <li>{@code sink}: {@code count}, to which everything is durable at once, or {@code file}, into the folder {@code folder}
 *   <li>{@code from}, {@code until}: the window in which {@link Delays} are counted; ends after it. Zero: does not end
 *   <li>{@code expected}: ends after so many changes; zero: does not end
 *   <li>{@code stopAfterMillis}, {@code stopMillis}: so long after the first change the sink stops, and for so long
 * </ul>
 */
public final class LiveTidegate {

    /** Reached when the sink goes on after its stop. */
    public static final String WENT_ON = "went-on";

    /** Reached when it has caught up after the sink's stop. */
    public static final String RECOVERED = "recovered";

    private static final String NAME = "live";
    private static final Duration LOOK = Duration.ofMillis(20);
    private static final long MICROS_PER_MILLI = 1_000;

    private final ChildReport report;
    private final Delays delays;
    private final Delays handed;
    private final Ids ids = new Ids();
    private final boolean window;
    private final long expected;
    private final long stopAfterMicros;
    private final long stopMillis;
    private final CountDownLatch complete = new CountDownLatch(1);
    private long first;
    private long end;
    private long wentOn;
    private boolean recovered;
    private long bytes;
    private long wentOnBytes;
    private long recoveredBytes;

    private LiveTidegate(ChildReport report, Arguments arguments) {
        this.report = report;
        long until = number(arguments, "until");
        window = until > 0;
        long from = number(arguments, "from");
        delays = new Delays(report, from, window ? until : Long.MAX_VALUE);
        handed = new Delays(report, from, window ? until : Long.MAX_VALUE);
        expected = number(arguments, "expected");
        stopAfterMicros = number(arguments, "stopAfterMillis") * MICROS_PER_MILLI;
        stopMillis = number(arguments, "stopMillis");
    }

    /** Runs until it has what it waits for, or is ended. */
    public static void main(String[] words) throws InterruptedException {
        Arguments arguments = Arguments.of(words);
        ChildReport report = new ChildReport();
        LiveTidegate live = new LiveTidegate(report, arguments);
        Sink sink = arguments.text("sink").equals("file")
                ? TidegateContender.files(Path.of(arguments.text("folder")))
                : new EncodingSink();
        try (EmbeddedPipeline pipeline = EmbeddedPipeline.named(NAME)
                .source("postgres", source(arguments))
                .sink(new WatchedSink(new StoppingSink(sink, live::accepting), live::durable))
                .stateDirectory(Path.of(arguments.text("state")))
                .start()) {
            while (!live.complete()) {
                if (pipeline.await(LOOK)) {
                    throw new IllegalStateException("the pipeline ended by itself");
                }
            }
            live.report();
        }
    }

    private static Map<String, ?> source(Arguments arguments) {
        return Map.of(
                "url", arguments.text("url"),
                "tables", List.of(arguments.text("table")),
                "slot.name", arguments.text("slot"),
                "slot.adopt", true,
                "publication.name", arguments.text("publication"),
                "snapshot", "none");
    }

    private static long number(Arguments arguments, String name) {
        return Long.parseLong(arguments.text(name, "0"));
    }

    private boolean complete() throws InterruptedException {
        return window ? delays.await(Duration.ZERO) : complete.await(0, TimeUnit.NANOSECONDS);
    }

    /**
     * Puts {@code count}, {@code distinct} and {@code largest} of the rows' numbers; {@code first} and {@code end}, when the
     * first of those expected was given to the sink and the last one was durable; {@code bytes} of all batches, as the engine counts
     * them; {@code recoveredBytes} from the sink's going on until it had caught up; what {@link Delays} has, and with the prefix {@code handed_} the same for
     * being given to the sink.
     */
    private void report() {
        report.put("count", ids.count())
                .put("distinct", ids.distinct())
                .put("largest", ids.largest())
                .put("first", first)
                .put("end", end)
                .put("bytes", bytes)
                .put("recoveredBytes", recoveredBytes - wentOnBytes)
                .put("allocated", report.allocatedBytes());
        handed.report("handed_");
        delays.report("");
        report.print();
    }

    private void accepting(Batch batch) throws InterruptedException {
        if (stopMillis > 0 && wentOn == 0 && first > 0 && ChildReport.now() - first > stopAfterMicros) {
            Thread.sleep(stopMillis);
            wentOn = ChildReport.now();
            wentOnBytes = bytes;
            report.reached(WENT_ON);
        }
        long now = ChildReport.now();
        if (first == 0 && !batch.changes().isEmpty()) {
            first = now;
        }
        if (window) {
            batch.changes().forEach(change -> handed.add(change.origin().committedAtMicros(), now));
        }
    }

    private void durable(Batch batch) {
        long now = ChildReport.now();
        bytes += batch.bytes();
        for (Change change : batch.changes()) {
            long committed = change.origin().committedAtMicros();
            delays.add(committed, now);
            if (!window) {
                ids.take(change);
            }
            if (wentOn > 0 && !recovered && now - committed < Delays.CAUGHT_UP_MICROS) {
                recovered = true;
                recoveredBytes = bytes;
                report.reached(RECOVERED);
            }
        }
        if (expected > 0 && ids.count() >= expected && end == 0) {
            end = now;
            if (!recovered) {
                recoveredBytes = bytes;
            }
            complete.countDown();
        }
    }
}
