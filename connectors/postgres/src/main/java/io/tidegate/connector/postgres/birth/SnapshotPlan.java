package io.tidegate.connector.postgres.birth;

import io.tidegate.connector.postgres.config.PostgresConfig;
import io.tidegate.connector.postgres.config.PostgresConfig.SnapshotMode;
import io.tidegate.connector.postgres.position.Lsn;
import io.tidegate.connector.postgres.server.Publication;
import io.tidegate.connector.postgres.server.Publication.Published;
import io.tidegate.connector.postgres.server.Relation;
import io.tidegate.connector.postgres.server.SqlSession;
import io.tidegate.connector.postgres.server.TableSelection;
import io.tidegate.connector.postgres.snapshot.TableChunks;
import io.tidegate.spi.Checkpoint;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.SplitPlan;
import io.tidegate.spi.SplitState;
import io.tidegate.spi.TidegateException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** The splits of one attempt at the snapshot, and of the log that follows it; ids hold the attempt's number. */
public final class SnapshotPlan {

    private static final String LOG = "log";
    private static final String TRUNCATE = "truncate ";

    private SnapshotPlan() {}

    static List<SplitPlan> plan(PostgresConfig config, SqlSession control, BirthRecord record, int attempt) {
        List<Relation> relations = Relation.all(control);
        List<Published> tables = tables(config, control, record, relations);
        Map<Long, Relation> byOid = relations.stream().collect(Collectors.toMap(Relation::oid, r -> r));
        String prefix = "a" + attempt;
        List<SplitPlan> plans = new ArrayList<>();
        List<String> first = List.of();
        if (attempt > 1) {
            String oids = tables.stream().map(t -> Long.toString(t.oid())).collect(Collectors.joining(","));
            plans.add(new SplitPlan(prefix + "/truncate", List.of(), null, TRUNCATE + oids));
            first = List.of(prefix + "/truncate");
        }
        for (Published table : tables) {
            Relation relation = byOid.get(table.oid());
            if (relation == null) { // dropped since the catalogue was read: never left out silently
                throw new TidegateException(
                        ErrorCode.TABLE_REWRITTEN, table.display() + " went while its snapshot was planned");
            }
            TableChunks chunks =
                    TableChunks.of(control, table, TableSelection.leaves(relation, relations), config.chunkBytes());
            plans.addAll(chunks.splits(prefix, first));
        }
        Lsn start = record.slotPosition();
        if (start != null) {
            plans.add(log(attempt, plans.stream().map(SplitPlan::id).toList(), start));
        }
        return plans;
    }

    private static List<Published> tables(
            PostgresConfig config, SqlSession control, BirthRecord record, List<Relation> relations) {
        if (config.snapshot() == SnapshotMode.ONLY) {
            return TableSelection.of(config.tables(), relations).tables().stream()
                    .map(table -> Publication.unpublished(control, table.oid()))
                    .toList();
        }
        Set<Long> ours = record.fingerprint().tables();
        return Publication.find(control, config.publication()).stream()
                .flatMap(publication -> publication.tables().values().stream())
                .filter(table -> ours.contains(table.oid()))
                .sorted(java.util.Comparator.comparing(Published::display).thenComparing(Published::oid))
                .toList();
    }

    static SplitPlan log(int attempt, List<String> after, Lsn start) {
        return new SplitPlan("a" + attempt + "/" + LOG, after, start, LOG);
    }

    public static boolean isLog(SplitPlan plan) {
        return plan.spec().equals(LOG);
    }

    /**
     * Where the log is read on from.
     *
     * @param start where it began
     */
    static Lsn logPosition(Checkpoint durable, Lsn start) {
        for (SplitState split : durable.splits()) {
            if (isLog(split.plan()) && split.progress().position() instanceof Lsn position) {
                return position;
            }
        }
        return start;
    }

    public static boolean isTruncate(SplitPlan plan) {
        return plan.spec().startsWith(TRUNCATE);
    }

    /** OIDs of the tables that a truncate split is about. */
    public static List<Long> truncated(SplitPlan plan) {
        List<Long> oids = new ArrayList<>();
        for (String oid : plan.spec().substring(TRUNCATE.length()).split(",", -1)) {
            if (!oid.isEmpty()) {
                oids.add(Long.parseLong(oid));
            }
        }
        return oids;
    }
}
