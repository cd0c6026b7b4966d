package io.tidegate.connector.postgres.birth;

import io.tidegate.connector.postgres.config.PostgresConfig;
import io.tidegate.connector.postgres.config.PostgresConfig.SnapshotMode;
import io.tidegate.connector.postgres.position.PgOrigin;
import io.tidegate.connector.postgres.server.Publication;
import io.tidegate.connector.postgres.server.Publication.Published;
import io.tidegate.connector.postgres.server.Relation;
import io.tidegate.connector.postgres.server.SqlSession;
import io.tidegate.connector.postgres.server.TableSelection;
import io.tidegate.connector.postgres.snapshot.Chunk;
import io.tidegate.connector.postgres.snapshot.TableChunks;
import io.tidegate.spi.Checkpoint;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.Position;
import io.tidegate.spi.Replan;
import io.tidegate.spi.SplitPlan;
import io.tidegate.spi.SplitState;
import io.tidegate.spi.TidegateException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The splits of one attempt: chunks of the tables that are to be read, and the log that follows them. Ids hold the attempt's
 * number. A plan is one write: it forgets what it replaces.
 *
 * <ul>
 *   <li>Chunks that are done stay done only where they were cut by key and the table is what it was; then the log is not
 *       skipped for that table (rule 8). Any other table begins again, behind a truncate unless it never began.
 *   <li>While a chunk of a table is not done the log is not read, so its position lies before the H of each of a table's
 *       attempts: a kept chunk misses nothing that the log does not give.
 * </ul>
 */
public final class SnapshotPlan {

    private static final String LOG = "log";
    private static final String TRUNCATE = "truncate ";

    private final PostgresConfig config;
    private final PgOrigin.Snapshot origin;
    private final Map<Long, Relation> relations;
    private final Map<Long, Published> published;
    private final SqlSession control;

    private final Set<String> forget = new HashSet<>();
    private final List<List<SplitPlan>> chunksByTable = new ArrayList<>();
    private final List<SplitPlan> add = new ArrayList<>();
    private BirthRecord record;

    private SnapshotPlan(PostgresConfig config, SqlSession control, BirthRecord record, PgOrigin.Snapshot origin) {
        this.config = config;
        this.control = control;
        this.record = record.attempt(origin.attempt());
        this.origin = origin;
        relations = Relation.all(control).stream().collect(Collectors.toMap(Relation::oid, r -> r));
        published = config.snapshot() == SnapshotMode.ONLY
                ? Map.of()
                : Publication.find(control, config.publication())
                        .map(Publication::tables)
                        .orElse(Map.of());
    }

    /** All rows of all tables, without a log. */
    static Replan whole(
            PostgresConfig config,
            SqlSession control,
            Checkpoint durable,
            BirthRecord record,
            PgOrigin.Snapshot origin) {
        SnapshotPlan plan = new SnapshotPlan(config, control, record, origin);
        for (SplitState split : durable.splits()) {
            plan.forget.add(split.plan().id());
        }
        for (Relation table : TableSelection.of(config.tables(), List.copyOf(plan.relations.values()))
                .tables()) {
            plan.begin(plan.chunks(Publication.unpublished(control, table.oid())), record.attempt() > 0);
        }
        plan.interleave();
        return plan.replan();
    }

    /** The rows that are not read yet, then the log from where it is. */
    static Replan resumed(
            PostgresConfig config,
            SqlSession control,
            Checkpoint durable,
            BirthRecord record,
            PgOrigin.Snapshot origin) {
        SnapshotPlan plan = new SnapshotPlan(config, control, record, origin);
        Map<Long, List<SplitState>> chunks = chunks(durable);
        Set<Long> unread =
                unread(config, durable, record).stream().map(TableRecord::oid).collect(Collectors.toSet());
        for (TableRecord table : record.tables().values()) {
            List<SplitState> before = chunks.getOrDefault(table.oid(), List.of());
            if (unread.contains(table.oid())) {
                plan.table(table, before);
            } else {
                before.forEach(split -> plan.forget.add(split.plan().id()));
            }
        }
        plan.interleave();
        plan.log(durable);
        return plan.replan();
    }

    /**
     * The same splits without those of some tables, and another log split behind what is left.
     *
     * @param record with the number of this plan
     */
    static Replan without(Checkpoint durable, BirthRecord record, Set<Long> tables) {
        Set<String> forget = new HashSet<>();
        List<String> after = new ArrayList<>();
        for (SplitState split : durable.splits()) {
            String id = split.plan().id();
            if (isLog(split.plan()) || tables.contains(table(split.plan()))) {
                forget.add(id);
            } else {
                after.add(id);
            }
        }
        return new Replan(record.source(), forget, List.of(log(durable, record, after)));
    }

    /**
     * Tables whose catch-up is not over, and whose rows are not what they were: what was read of them may not fit what is
     * still to come. They are to be read again.
     */
    static BirthRecord again(PostgresConfig config, SqlSession control, Checkpoint durable, BirthRecord record) {
        Position position = logPosition(durable, record);
        List<TableRecord> open = record.tables().values().stream()
                .filter(table -> !table.isLost() && table.isBefore(position))
                .toList();
        if (open.isEmpty()) {
            return record;
        }
        BirthRecord next = record;
        List<Relation> relations = Relation.all(control);
        Map<Long, Published> tables = Publication.find(control, config.publication())
                .map(Publication::tables)
                .orElse(Map.of());
        for (TableRecord table : open) {
            Published now = tables.get(table.oid());
            Optional<Relation> relation =
                    relations.stream().filter(r -> r.oid() == table.oid()).findFirst();
            if (now != null && relation.isPresent()) {
                List<Relation> leaves = TableSelection.leaves(relation.get(), relations);
                if (!TableChunks.identityOf(control, now, leaves).equals(table.identity())) {
                    next = next.with(table.again());
                }
            }
        }
        return next;
    }

    /** What has to be read: tables that are not lost, and of which rows are missing. */
    static List<TableRecord> unread(PostgresConfig config, Checkpoint durable, BirthRecord record) {
        Set<Long> open =
                unread(durable).stream().map(split -> table(split.plan())).collect(Collectors.toSet());
        return record.tables().values().stream()
                .filter(table -> !table.isLost())
                .filter(table -> table.due()
                        || open.contains(table.oid())
                        || (table.attempt() == 0 && config.snapshot() != SnapshotMode.NONE))
                .toList();
    }

    /** Splits of tables that are not durably done. */
    static List<SplitState> unread(Checkpoint durable) {
        return durable.splits().stream()
                .filter(split -> !isLog(split.plan()) && !split.progress().done())
                .toList();
    }

    private void table(TableRecord table, List<SplitState> before) {
        Published now = published.get(table.oid());
        Relation relation = relations.get(table.oid());
        if (now == null || relation == null) {
            throw new TidegateException(
                    ErrorCode.TABLES_CHANGED, table.display() + " went while its snapshot was planned");
        }
        List<SplitState> done = before.stream()
                .filter(split -> split.progress().done() && !isTruncate(split.plan()))
                .toList();
        // Whether it was cut by key the stored plan says: statistics may say something else by now.
        boolean keeps = !table.due()
                && !done.isEmpty()
                && !table.identity().isEmpty()
                && TableChunks.identityOf(control, now, leaves(now)).equals(table.identity());
        if (keeps) {
            resume(before);
            record = record.with(table.resumed(origin.attempt(), origin.point()));
        } else {
            before.forEach(split -> forget.add(split.plan().id()));
            TableChunks chunks = chunks(now);
            begin(chunks, table.attempt() > 0 || table.marker());
            record =
                    record.with(table.begun(origin.attempt(), origin.point(), chunks.keyed() ? chunks.identity() : ""));
        }
    }

    /** What is not done is read again under another id, between the bounds of before. */
    private void resume(List<SplitState> before) {
        List<SplitPlan> plans = new ArrayList<>();
        for (SplitState split : before) {
            if (!split.progress().done()) {
                String id = split.plan().id();
                forget.add(id);
                plans.add(new SplitPlan(
                        prefix() + id.substring(id.indexOf('/') + 1),
                        List.of(),
                        null,
                        split.plan().spec()));
            }
        }
        chunksByTable.add(plans);
    }

    private void begin(TableChunks chunks, boolean marker) {
        List<String> first = List.of();
        if (marker && !config.keepStaleRows()) {
            String id = prefix() + chunks.unique() + "/truncate";
            add.add(new SplitPlan(id, List.of(), null, TRUNCATE + chunks.table()));
            first = List.of(id);
        }
        chunksByTable.add(chunks.splits(prefix(), first));
    }

    private TableChunks chunks(Published table) {
        return TableChunks.of(control, table, leaves(table), config.chunkBytes());
    }

    private List<Relation> leaves(Published table) {
        Relation relation = relations.get(table.oid());
        if (relation == null) {
            throw new TidegateException(
                    ErrorCode.TABLES_CHANGED, table.display() + " went while its snapshot was planned");
        }
        return TableSelection.leaves(relation, List.copyOf(relations.values()));
    }

    /** One chunk of each table in turn, so that a small table does not wait for a large one. */
    private void interleave() {
        int most = chunksByTable.stream().mapToInt(List::size).max().orElse(0);
        for (int i = 0; i < most; i++) {
            for (List<SplitPlan> plans : chunksByTable) {
                if (i < plans.size()) {
                    add.add(plans.get(i));
                }
            }
        }
    }

    private void log(Checkpoint durable) {
        for (SplitState split : durable.splits()) {
            if (isLog(split.plan())) {
                forget.add(split.plan().id());
            }
        }
        add.add(log(durable, record, add.stream().map(SplitPlan::id).toList()));
    }

    private static SplitPlan log(Checkpoint durable, BirthRecord record, List<String> after) {
        return new SplitPlan(
                "a" + record.attempt() + "/" + LOG, after, logPosition(durable, record), LOG, record.lineage());
    }

    private Replan replan() {
        return new Replan(record.source(), forget, add);
    }

    private String prefix() {
        return "a" + origin.attempt() + "/";
    }

    private static Map<Long, List<SplitState>> chunks(Checkpoint durable) {
        Map<Long, List<SplitState>> chunks = new HashMap<>();
        for (SplitState split : durable.splits()) {
            if (!isLog(split.plan())) {
                chunks.computeIfAbsent(table(split.plan()), oid -> new ArrayList<>())
                        .add(split);
            }
        }
        return chunks;
    }

    public static boolean isLog(SplitPlan plan) {
        return plan.spec().equals(LOG);
    }

    /** Where the log is read on from. */
    static Position logPosition(Checkpoint durable, BirthRecord record) {
        for (SplitState split : durable.splits()) {
            if (isLog(split.plan())) {
                Position reached = split.progress().position();
                Position from = reached == null ? split.plan().start() : reached;
                if (from != null) {
                    return from;
                }
            }
        }
        Position start = record.slotPosition();
        if (start == null) {
            throw new TidegateException(ErrorCode.INTERNAL, "I17: the log has no position to start from");
        }
        return start;
    }

    /** Whether a split only says that what was delivered of its table is void. */
    public static boolean isTruncate(SplitPlan plan) {
        return plan.spec().startsWith(TRUNCATE);
    }

    /** The OID of the table that a split other than the log is about. */
    public static long table(SplitPlan plan) {
        return isTruncate(plan)
                ? Long.parseLong(plan.spec().substring(TRUNCATE.length()))
                : Chunk.parse(plan.spec()).table();
    }
}
