package io.tidegate.connector.postgres.birth;

import io.tidegate.connector.postgres.birth.BirthRecord.Intent;
import io.tidegate.connector.postgres.config.PostgresConfig;
import io.tidegate.connector.postgres.config.PostgresConfig.SnapshotMode;
import io.tidegate.connector.postgres.position.Lsn;
import io.tidegate.connector.postgres.position.RaisedLsn;
import io.tidegate.connector.postgres.server.Connections;
import io.tidegate.connector.postgres.server.Publication;
import io.tidegate.connector.postgres.server.Relation;
import io.tidegate.connector.postgres.server.Slot;
import io.tidegate.connector.postgres.server.Sql;
import io.tidegate.connector.postgres.server.SqlSession;
import io.tidegate.connector.postgres.server.TableSelection;
import io.tidegate.connector.postgres.snapshot.SnapshotHolder;
import io.tidegate.connector.postgres.wire.ReplicationConnection;
import io.tidegate.connector.postgres.wire.ReplicationConnection.SystemIdentity;
import io.tidegate.spi.Checkpoint;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.Finding;
import io.tidegate.spi.Position;
import io.tidegate.spi.Preparation;
import io.tidegate.spi.Replan;
import io.tidegate.spi.SourceContext;
import io.tidegate.spi.TidegateException;
import java.lang.System.Logger;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Brings a pipeline from nothing to its first row, and each later session to where it can go on (rules 1, 2, 3, 5). Each
 * step looks at what is durable, does one thing outside, and asks for a write; a step that is done again after a crash
 * ends in the same state.
 *
 * <ul>
 *   <li>I17: the intent is durable before anything is created, the log's start and H before anything is read.
 *   <li>Under <i>create</i> without a consistent point the slot is dropped and made again: nobody read from it. Under
 *       <i>adopt</i> nothing is ever dropped.
 * </ul>
 */
public final class Birth implements AutoCloseable {

    private static final Logger LOG = System.getLogger(Birth.class.getName());
    private static final long REFUSED_NANOS = TimeUnit.MINUTES.toNanos(10);

    private final PostgresConfig config;
    private final Connections connections;
    private final SourceContext context;
    private final Continuity continuity;
    private final Map<Long, Refusal> refusals = new ConcurrentHashMap<>();
    private @Nullable SnapshotHolder holder;

    public Birth(PostgresConfig config, Connections connections, SourceContext context) {
        this.config = config;
        this.connections = connections;
        this.context = context;
        this.continuity = new Continuity(config);
    }

    /** The snapshot of the attempt that this session reads; null when it reads none. */
    public @Nullable SnapshotHolder holder() {
        return holder;
    }

    /** One step; see {@link io.tidegate.spi.SourceSession#prepare}. */
    public Preparation step(Checkpoint durable, SqlSession control) throws InterruptedException {
        BirthRecord record = new BirthRecord(durable.source());
        if (!record.begun()) {
            return intent(record, control);
        }
        record.refuseAnother(config);
        if (config.snapshot() == SnapshotMode.ONLY) {
            return rowsOnly(durable, record, control);
        }
        if (record.slotPosition() == null) {
            return write(slot(record, control));
        }
        Position position = SnapshotPlan.logPosition(durable, record);
        Continuity.Server server;
        try {
            server = continues(control, record, RaisedLsn.lsn(position));
        } catch (TidegateException lost) {
            if (lost.code() == ErrorCode.POSITION_LOST && config.snapshot() == SnapshotMode.WHEN_LOST) {
                return anew(durable, record, lost);
            }
            throw lost;
        }
        BirthRecord here = record.onlyUpTo(server.common(), RaisedLsn.catchUpEnd(position));
        if (server.timeline() != record.timeline() || !here.equals(record)) {
            // Once the checkpoint lies beyond the fork, the old timeline would not contain it any more.
            return replanned(durable, here.timeline(server.timeline()), Set.of());
        }
        TableChanges changes = TableChanges.look(config, control, record, refusals());
        Preflight.refuse(changes.mistakes());
        context.problems(changes.standing());
        if (changes.any()) {
            return changed(durable, changes, control);
        }
        unpublish(control, record);
        BirthRecord seen = columns(control, SnapshotPlan.again(config, control, durable, record));
        return seen.equals(record) ? rows(durable, record, control) : write(seen);
    }

    /** Warns of what became of old rows, and remembers that it did. */
    private BirthRecord columns(SqlSession control, BirthRecord record) {
        ColumnChanges now = ColumnChanges.read(control, record.tables().keySet());
        for (String warning : now.warnings(record)) {
            LOG.log(Logger.Level.WARNING, "pipeline {0}: {1}", context.pipeline(), warning);
        }
        return now.in(record);
    }

    /** A snapshot that no log follows is whole or nothing: there is nothing that could make parts of two agree. */
    private Preparation rowsOnly(Checkpoint durable, BirthRecord record, SqlSession control)
            throws InterruptedException {
        SnapshotHolder held = holder;
        boolean ours = held != null && held.origin().attempt() == record.attempt();
        if (ours || (record.attempt() > 0 && SnapshotPlan.unread(durable).isEmpty())) {
            return ready();
        }
        SnapshotHolder taken = take(record.attempt() + 1, control);
        return planned(SnapshotPlan.whole(config, control, durable, record, taken.origin()));
    }

    private Preparation rows(Checkpoint durable, BirthRecord record, SqlSession control) throws InterruptedException {
        List<TableRecord> unread = SnapshotPlan.unread(config, durable, record);
        if (unread.isEmpty()) {
            boolean compact = durable.splits().size() == 1;
            return compact
                    ? ready()
                    : replanned(durable, record, record.tables().keySet());
        }
        SnapshotHolder held = holder;
        boolean begun = unread.stream().noneMatch(table -> table.due() || table.attempt() == 0);
        if (begun && held != null && held.origin().attempt() == record.attempt()) {
            return ready();
        }
        SnapshotHolder taken = take(record.attempt() + 1, control);
        return planned(SnapshotPlan.resumed(config, control, durable, record, taken.origin()));
    }

    private static Preparation planned(Replan plan) {
        return new Preparation.Write(plan);
    }

    /** The same with another log split, because the one that is there comes after what is forgotten, or is of another lineage. */
    private static Preparation replanned(Checkpoint durable, BirthRecord record, Set<Long> forgotten) {
        return planned(SnapshotPlan.without(durable, record.attempt(record.attempt() + 1), forgotten));
    }

    /** What comes after the checkpoint is gone, and the configuration says to begin again. */
    private Preparation anew(Checkpoint durable, BirthRecord record, TidegateException lost) {
        boolean sameServer;
        ReplicationConnection connection = connections.replication();
        try {
            sameServer = connection.identifySystem().systemId().equals(record.systemId());
        } finally {
            connections.closed(connection);
            connection.close();
        }
        LOG.log(
                Logger.Level.WARNING,
                "pipeline {0} begins anew, with a snapshot of all tables (snapshot: when_lost): {1}",
                context.pipeline(),
                lost.getMessage());
        return new Preparation.Write(new Replan(
                record.reborn(sameServer).source(),
                durable.splits().stream().map(split -> split.plan().id()).collect(Collectors.toSet()),
                List.of()));
    }

    private Preparation changed(Checkpoint durable, TableChanges changes, SqlSession control)
            throws InterruptedException {
        LOG.log(Logger.Level.INFO, "pipeline {0}: {1}", context.pipeline(), changes.news());
        if (!changes.unpublished().isEmpty()) {
            // A member of the publication before it is captured: the log has all of it from before the snapshot's H.
            changes.unpublished().forEach(table -> publish(control, table));
            return step(durable, control);
        }
        return replanned(durable, changes.record(), changes.forgotten());
    }

    /** Takes what is not captured any more out of the publication, if that is ours; after the record says so. */
    private void unpublish(SqlSession control, BirthRecord record) {
        if (!config.create()) {
            return;
        }
        for (Relation table : TableChanges.leftInPublication(control, record)) {
            try {
                soon(control, Publication.drop(config.publication(), List.of(table)));
            } catch (TidegateException e) {
                LOG.log(
                        Logger.Level.WARNING,
                        "pipeline {0}: {1} stays in publication {2} until the next start: {3}",
                        context.pipeline(),
                        table.display(),
                        config.publication(),
                        e.getMessage());
            }
        }
    }

    /** Whoever has the table locked is not waited for: the others must go on (I14). It is tried again later. */
    private void publish(SqlSession control, Relation table) {
        String statement = Publication.add(config.publication(), List.of(table));
        try {
            soon(control, statement);
        } catch (TidegateException e) {
            Finding refusal = Finding.error(
                    e.code(),
                    table.display(),
                    "matches 'tables', and could not be put into the publication: " + e.getMessage(),
                    statement + ";");
            refusals.put(table.oid(), new Refusal(refusal, context.nanoTime()));
        }
    }

    private static void soon(SqlSession control, String statement) {
        control.execute("SET lock_timeout = '5s'");
        try {
            control.execute(statement);
        } finally {
            control.execute("SET lock_timeout = 0");
        }
    }

    private record Refusal(Finding finding, long at) {}

    /** By OID, tables that could not be put into the publication in the last minutes. */
    public Map<Long, Finding> refusals() {
        long now = context.nanoTime();
        refusals.values().removeIf(refusal -> now - refusal.at() > REFUSED_NANOS);
        return refusals.entrySet().stream()
                .collect(Collectors.toMap(
                        Map.Entry::getKey, entry -> entry.getValue().finding()));
    }

    private static Preparation write(BirthRecord record) {
        return new Preparation.Write(Replan.record(record.source()));
    }

    private Preparation ready() {
        return new Preparation.Ready(config.snapshot() == SnapshotMode.ONLY, config.readersMax());
    }

    private Preparation intent(BirthRecord record, SqlSession control) {
        Preflight.refuse(Preflight.run(config, connections, control));
        // Create is written only now that it was seen that none of that name exists.
        boolean slot = Slot.find(control, config.slot()).isPresent();
        boolean publication = Publication.find(control, config.publication()).isPresent();
        return write(record.begin(
                config,
                slot || config.slotAdopt() ? Intent.ADOPT : Intent.CREATE,
                publication || !config.create() ? Intent.ADOPT : Intent.CREATE));
    }

    /** Publication first, then slot: a slot cannot read changes of before its publication. */
    private BirthRecord slot(BirthRecord record, SqlSession control) throws InterruptedException {
        Slot old = Slot.find(control, config.slot()).orElse(null);
        if (old != null) {
            old.refuseActive();
            if (record.createsSlot() && !old.isLogical(config.server().database())) {
                throw new TidegateException(
                        ErrorCode.PREFLIGHT,
                        "the slot " + config.slot() + " is not ours: it is no slot of pgoutput for this database",
                        "Name another one in slot.name, after 'tidegate state reset FILE'.",
                        null);
            }
        }
        if (record.createsPublication()) {
            makePublication(control, record);
        }
        Lsn position = record.createsSlot() ? makeSlot(control, old != null) : adopt(old);
        Publication publication = Publication.find(control, config.publication())
                .orElseThrow(() -> new TidegateException(
                        ErrorCode.PUBLICATION, "the publication " + config.publication() + " does not exist"));
        List<Relation> tables = TableSelection.of(config.tables(), Relation.all(control)).tables().stream()
                .filter(table -> publication.tables().containsKey(table.oid()))
                .toList();
        Fingerprint fingerprint = Fingerprint.read(
                control,
                config.publication(),
                tables.stream().map(Relation::oid).collect(Collectors.toSet()));
        ReplicationConnection connection = connections.replication();
        try {
            SystemIdentity identity = connection.identifySystem();
            String moment = control.one(
                    "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint::text", row -> row.getString(1));
            ColumnChanges columns = ColumnChanges.read(
                    control, tables.stream().map(Relation::oid).collect(Collectors.toSet()));
            BirthRecord born = record.born(position, identity.systemId(), identity.timeline(), moment)
                    .with(fingerprint)
                    .patterns(config);
            for (Relation table : tables) {
                born = born.with(TableRecord.joined(table, columns.text(table.oid()), record.knows(table.display())));
            }
            return born;
        } finally {
            connections.closed(connection);
            connection.close();
        }
    }

    /** One that is there was made by us before a crash, or by somebody else since the intent was stored. */
    private void makePublication(SqlSession control, BirthRecord record) {
        TableSelection selection = TableSelection.of(config.tables(), Relation.all(control));
        Optional<Publication> found = Publication.withoutTables(control, config.publication());
        if (found.isPresent()) {
            if (!record.hadPublication(found.get().oid())
                    && !Publication.madeByUs(control, config.publication(), selection.tables())) {
                throw new TidegateException(
                        ErrorCode.PUBLICATION,
                        "the publication " + config.publication()
                                + " appeared while this pipeline was about to make it,"
                                + " and is not what it would make, or belongs to another role",
                        "If nobody needs it, DROP PUBLICATION " + Sql.name(config.publication())
                                + "; and start again. Or name another one in publication.name, after 'tidegate state reset"
                                + " FILE'.",
                        null);
            }
            control.execute("DROP PUBLICATION " + Sql.name(config.publication()));
        }
        for (Relation table : selection.tables()) {
            for (Relation leaf : selection.leaves(table)) {
                if (!leaf.identifies()) {
                    throw new TidegateException(
                            ErrorCode.PREFLIGHT,
                            leaf.display() + " lost what identified its rows: ALTER TABLE " + leaf.sql()
                                    + " REPLICA IDENTITY FULL;");
                }
            }
        }
        if (selection.tables().isEmpty()) {
            throw new TidegateException(ErrorCode.PREFLIGHT, "'tables' matches no table of the database");
        }
        control.execute(Publication.create(config.publication(), selection.tables()));
    }

    private Lsn makeSlot(SqlSession control, boolean exists) throws InterruptedException {
        if (exists) {
            control.one("SELECT pg_drop_replication_slot(?)", row -> "", config.slot());
        }
        context.doing("making the replication slot " + config.slot());
        try (SqlSession patient = connections.patient("making the slot " + config.slot())) {
            String lsn = WatchedCall.run(
                    context,
                    control,
                    patient.backendPid(),
                    () -> patient.one(
                            "SELECT lsn::text FROM pg_create_logical_replication_slot(?, 'pgoutput')",
                            row -> row.getString(1),
                            config.slot()),
                    patient::abort);
            return Lsn.parse(lsn);
        }
    }

    private Lsn adopt(@Nullable Slot slot) {
        Lsn confirmed =
                slot == null || slot.unusable(config.server().database()).isPresent() ? null : slot.confirmed();
        if (confirmed == null) {
            throw new TidegateException(
                    ErrorCode.PREFLIGHT,
                    "the slot " + config.slot() + " that is to be adopted is gone, or cannot be read",
                    "SELECT pg_create_logical_replication_slot(" + Sql.text(config.slot()) + ", 'pgoutput');",
                    null);
        }
        return confirmed;
    }

    private Continuity.Server continues(SqlSession control, BirthRecord record, Lsn position) {
        ReplicationConnection connection = connections.replication();
        Continuity.Server server;
        try {
            server = continuity.server(connection, record, position);
        } finally {
            connections.closed(connection);
            connection.close();
        }
        Slot slot = continuity.slot(control, position);
        continuity.publication(control, record);
        slot.refuseActive();
        return server;
    }

    private SnapshotHolder take(int attempt, SqlSession control) throws InterruptedException {
        close();
        context.doing("taking the snapshot of attempt " + attempt);
        ReplicationConnection connection = connections.replication();
        String name = "tidegate_snapshot_" + connection.backendPid();
        SnapshotHolder taken = SnapshotHolder.take(
                connections,
                connection,
                WatchedCall.run(
                        context,
                        control,
                        connection.backendPid(),
                        () -> connection.createTemporarySlot(name),
                        connection::abort),
                attempt);
        holder = taken;
        return taken;
    }

    @Override
    public void close() {
        if (holder != null) {
            holder.close();
            holder = null;
        }
    }
}
