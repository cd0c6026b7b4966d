package io.tidegate.engine;

import io.tidegate.spi.SnapshotProgress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Tells from what a source publishes of its snapshot how fast it goes and when it will be over. The rate of a table is that of the
 * last 15 to 30 seconds, so that it follows a load that changes. Keeps two samples for each table. One thread.
 */
final class SnapshotRates {

    private static final long SAMPLE_NANOS = Duration.ofSeconds(15).toNanos();
    private static final long AGAIN_NANOS = Duration.ofSeconds(1).toNanos();

    /** So many rows were read by then. */
    private record Sample(long rows, long at) {}

    /** The older one is what rates are taken from; the newer one takes its place. */
    private record Samples(Sample older, Sample newer) {

        Samples next(long rows, long now) {
            if (rows < newer.rows()) { // read anew
                return begin(rows, now);
            }
            return now - newer.at() < SAMPLE_NANOS ? this : new Samples(newer, new Sample(rows, now));
        }

        static Samples begin(long rows, long now) {
            Sample first = new Sample(rows, now);
            return new Samples(first, first);
        }

        double perSecond(long rows, long now) {
            long nanos = now - older.at();
            return nanos <= 0 ? 0 : (rows - older.rows()) * 1e9 / nanos;
        }
    }

    private Map<String, Samples> byTable = new HashMap<>();
    private @Nullable Samples all;
    private List<SnapshotProgress> seen = List.of();
    private PipelineStatus.Snapshot result = PipelineStatus.Snapshot.NONE;
    private long lookedAt;

    /** As it was published last; the same list again is looked at once a second. */
    @SuppressWarnings("ReferenceEquality") // only whether it was published anew
    PipelineStatus.Snapshot look(List<SnapshotProgress> tables, long now) {
        if (tables.isEmpty()) {
            byTable = new HashMap<>();
            all = null;
            return PipelineStatus.Snapshot.NONE;
        }
        if (tables != seen || now - lookedAt >= AGAIN_NANOS) {
            seen = tables;
            lookedAt = now;
            result = compute(tables, now);
        }
        return result;
    }

    private PipelineStatus.Snapshot compute(List<SnapshotProgress> tables, long now) {
        Map<String, Samples> next = new HashMap<>();
        List<PipelineStatus.Table> shown = new ArrayList<>(tables.size());
        long rows = 0;
        long left = 0;
        for (SnapshotProgress table : tables) {
            Samples samples = samples(byTable.get(table.table()), table.rowsDone(), now);
            next.put(table.table(), samples);
            double rate = table.done() ? 0 : samples.perSecond(table.rowsDone(), now);
            long rest = table.done() ? 0 : table.rowsTotal() - table.rowsDone();
            shown.add(new PipelineStatus.Table(table, rate, table.done() ? Duration.ZERO : time(rest, rate)));
            rows += table.rowsDone();
            left += rest;
        }
        byTable = next;
        all = samples(all, rows, now);
        double rate = all.perSecond(rows, now);
        boolean done = tables.stream().allMatch(SnapshotProgress::done);
        return new PipelineStatus.Snapshot(shown, done ? 0 : rate, done ? Duration.ZERO : time(left, rate));
    }

    private static Samples samples(@Nullable Samples before, long rows, long now) {
        return before == null ? Samples.begin(rows, now) : before.next(rows, now);
    }

    private static @Nullable Duration time(long rows, double perSecond) {
        return perSecond <= 0 ? null : Duration.ofSeconds((long) Math.ceil(rows / perSecond));
    }
}
