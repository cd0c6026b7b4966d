package io.tidegate.connector.postgres.snapshot;

import io.tidegate.connector.postgres.server.Publication.Published;
import io.tidegate.connector.postgres.server.Relation;
import io.tidegate.spi.SplitPlan;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A range of pages of one relation. The first and the last chunk of a relation are open-ended, so that together they
 * cover it whatever its size is when it is read.
 *
 * @param table whose rows these are
 * @param leaf the relation that holds them: the table itself, or a partition
 * @param from first page, -1 for the beginning
 * @param to the page after the last, -1 for the end
 */
public record Chunk(long table, long leaf, long from, long to) {

    private static final Pattern SPEC = Pattern.compile("table=([0-9]+) leaf=([0-9]+) from=(-1|[0-9]+) to=(-1|[0-9]+)");

    /**
     * Reads what {@link #spec} gives.
     *
     * @throws IllegalArgumentException if the text is none that {@link #spec} gives
     */
    public static Chunk parse(String spec) {
        Matcher m = SPEC.matcher(spec);
        if (!m.matches()) {
            throw new IllegalArgumentException("not a chunk: " + spec);
        }
        return new Chunk(
                Long.parseLong(m.group(1)),
                Long.parseLong(m.group(2)),
                Long.parseLong(m.group(3)),
                Long.parseLong(m.group(4)));
    }

    public String spec() {
        return "table=" + table + " leaf=" + leaf + " from=" + from + " to=" + to;
    }

    /** The condition that selects its rows; empty for the whole relation. */
    String condition() {
        List<String> parts = new ArrayList<>();
        if (from >= 0) {
            parts.add("ctid >= '(" + from + ",0)'::pg_catalog.tid");
        }
        if (to >= 0) {
            parts.add("ctid < '(" + to + ",0)'::pg_catalog.tid");
        }
        return String.join(" AND ", parts);
    }

    /** The splits of one table. */
    public static List<SplitPlan> plan(
            Published table,
            List<Relation> leaves,
            SizeOf pages,
            long pagesPerChunk,
            String attempt,
            List<String> after) {
        List<SplitPlan> plans = new ArrayList<>();
        for (Relation leaf : leaves) {
            long count = Math.max(1, (pages.of(leaf) + pagesPerChunk - 1) / pagesPerChunk);
            for (long i = 0; i < count; i++) {
                Chunk chunk = new Chunk(
                        table.oid(),
                        leaf.oid(),
                        i == 0 ? -1 : i * pagesPerChunk,
                        i == count - 1 ? -1 : (i + 1) * pagesPerChunk);
                String id =
                        String.format(java.util.Locale.ROOT, "%s/%s/%04d", attempt, unique(table), plans.size() + 1);
                plans.add(new SplitPlan(id, after, null, chunk.spec()));
            }
        }
        return plans;
    }

    /** Quoted if a dot or a quote within a name could make two tables look alike. */
    private static String unique(Published table) {
        boolean plain = (table.schema() + table.name()).matches("[^.\"/]*");
        return plain ? table.display() : table.sql();
    }

    /** How many pages a relation has. */
    @FunctionalInterface
    public interface SizeOf {
        long of(Relation relation);
    }
}
