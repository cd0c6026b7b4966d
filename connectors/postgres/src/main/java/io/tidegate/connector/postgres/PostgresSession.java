package io.tidegate.connector.postgres;

import io.tidegate.connector.postgres.birth.Birth;
import io.tidegate.connector.postgres.birth.BirthRecord;
import io.tidegate.connector.postgres.birth.Continuity;
import io.tidegate.connector.postgres.birth.SnapshotPlan;
import io.tidegate.connector.postgres.config.PostgresConfig;
import io.tidegate.connector.postgres.config.PostgresConfig.SnapshotMode;
import io.tidegate.connector.postgres.server.Connections;
import io.tidegate.connector.postgres.server.SqlSession;
import io.tidegate.connector.postgres.snapshot.Chunk;
import io.tidegate.connector.postgres.snapshot.ChunkReader;
import io.tidegate.connector.postgres.snapshot.SnapshotHolder;
import io.tidegate.connector.postgres.snapshot.SnapshotMeter;
import io.tidegate.connector.postgres.snapshot.SnapshotTables;
import io.tidegate.connector.postgres.snapshot.TruncateReader;
import io.tidegate.spi.Check;
import io.tidegate.spi.Checkpoint;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.Position;
import io.tidegate.spi.Preparation;
import io.tidegate.spi.SourceContext;
import io.tidegate.spi.SourceRecord;
import io.tidegate.spi.SourceSession;
import io.tidegate.spi.SplitPlan;
import io.tidegate.spi.SplitProgress;
import io.tidegate.spi.SplitReader;
import io.tidegate.spi.SplitState;
import io.tidegate.spi.TidegateException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One attempt at reading: a control connection, the snapshot while there is one, and readers with connections of their own.
 */
final class PostgresSession implements SourceSession {

    private final PostgresConfig config;
    private final SourceContext context;
    private final Connections connections;
    private final Birth birth;
    private final SlotWatch watch;
    /** By id, the table of each split of the snapshot that is not durably done. */
    private final Map<String, Long> chunksLeft = new HashMap<>();

    private SqlSession control;

    /** Written by the session's thread before it is ready, read by the threads of readers afterwards. */
    private volatile BirthRecord record = new BirthRecord(SourceRecord.EMPTY);

    private volatile @Nullable SnapshotHolder holder;
    private volatile SnapshotMeter meter = new SnapshotMeter();

    private PostgresSession(PostgresConfig config, SourceContext context, Connections connections, SqlSession control) {
        this.config = config;
        this.context = context;
        this.connections = connections;
        this.control = control;
        this.birth = new Birth(config, connections, context);
        this.watch = new SlotWatch(config, context);
    }

    static PostgresSession open(PostgresConfig config, SourceContext context) {
        Connections connections = new Connections(config.server());
        return new PostgresSession(config, context, connections, connections.control());
    }

    @Override
    public Preparation prepare(Checkpoint durable) throws InterruptedException {
        Preparation answer = birth.step(durable, control);
        if (answer instanceof Preparation.Ready) {
            record = new BirthRecord(durable.source());
            holder = birth.holder();
            measure(durable);
        }
        return answer;
    }

    private void measure(Checkpoint durable) {
        SnapshotMeter fresh = new SnapshotMeter();
        for (SplitState split : durable.splits()) {
            if (SnapshotPlan.isLog(split.plan())) {
                continue;
            }
            long table = SnapshotPlan.table(split.plan());
            boolean done = split.progress().done();
            if (!SnapshotPlan.isTruncate(split.plan())) {
                fresh.chunk(control, table, done);
            }
            if (!done) {
                chunksLeft.put(split.plan().id(), table);
            }
        }
        meter = fresh;
        if (!chunksLeft.isEmpty()) {
            context.doing("reading the snapshot; the log waits");
            context.snapshot(fresh.progress());
        }
    }

    @Override
    public SplitReader open(SplitPlan plan, @Nullable Position from) throws InterruptedException {
        if (SnapshotPlan.isLog(plan)) {
            if (from == null) {
                throw new TidegateException(ErrorCode.INTERNAL, "I17: the log has no position to start from");
            }
            LogOpening opening = new LogOpening(config, connections, context, record, birth.refusals());
            return judged(() -> new JudgedReader(opening.open(from), this::judge));
        }
        SnapshotHolder held = holder;
        if (held == null) {
            throw new TidegateException(ErrorCode.SOURCE_UNAVAILABLE, "the snapshot of " + plan.id() + " has ended");
        }
        Check.invariant(
                plan.id().startsWith("a" + held.origin().attempt() + "/"),
                "a chunk is read under the snapshot of its own attempt: " + plan.id());
        SnapshotTables tables =
                new SnapshotTables(config.snapshot() == SnapshotMode.ONLY ? null : config.publication());
        if (SnapshotPlan.isTruncate(plan)) {
            return truncate(SnapshotPlan.table(plan), tables, held);
        }
        return ChunkReader.open(
                connections,
                new ChunkReader.Attempt(tables, held, meter, config.maxRowBytes(), context::nanoTime),
                Chunk.parse(plan.spec()));
    }

    /** With {@code when_lost} the next session looks, and begins anew: then a lost position does not stop the pipeline. */
    private TidegateException judge(TidegateException e) {
        return e.code() == ErrorCode.POSITION_LOST && config.snapshot() == SnapshotMode.WHEN_LOST
                ? new TidegateException(ErrorCode.SOURCE_UNAVAILABLE, String.valueOf(e.getMessage()), e)
                : e;
    }

    private <T> T judged(Supplier<T> step) {
        try {
            return step.get();
        } catch (TidegateException e) {
            throw judge(e);
        }
    }

    private SplitReader truncate(long table, SnapshotTables tables, SnapshotHolder held) {
        try (SqlSession session = connections.control()) {
            return new TruncateReader(
                    tables.shape(session, tables.find(session, table)).schema(), held.origin());
        }
    }

    @Override
    public List<SplitPlan> tend() throws InterruptedException {
        if (!answers()) {
            return List.of();
        }
        if (config.snapshot() != SnapshotMode.ONLY) {
            judged(() -> {
                watch.look(control, new Continuity(config), record, birth.refusals());
                return true;
            });
        }
        SnapshotHolder held = holder;
        if (held != null) {
            held.probe();
            context.snapshot(meter.progress());
        }
        return List.of();
    }

    /**
     * Whether the control connection answers; it is opened again once. A server that does not let us in any more ends the
     * session, so that it can shut down (rule 13); only one that is full is waited for.
     */
    private boolean answers() {
        try {
            control.answerWithin(SlotWatch.ANSWER_MAX);
            control.one("SELECT 1", row -> row.getInt(1));
            return true;
        } catch (TidegateException gone) {
            control.close();
            try {
                control = connections.control();
                return true;
            } catch (TidegateException e) {
                if (SlotWatch.full(e)) {
                    context.doing("the server has no connection left for watching the slot: " + e.getMessage());
                    return false;
                }
                throw new TidegateException(
                        ErrorCode.SOURCE_UNAVAILABLE,
                        "the control connection was lost and cannot be opened again: " + e.getMessage(),
                        e);
            }
        }
    }

    /** The snapshot is let go as soon as all of its chunks are durably done: while it is held nothing is vacuumed. */
    @Override
    public boolean acknowledge(SplitProgress durable) {
        Long table = durable.done() ? chunksLeft.remove(durable.id()) : null;
        if (table != null) {
            meter.done(table);
            if (chunksLeft.isEmpty()) {
                holder = null;
                birth.close();
                context.doing("");
                context.snapshot(List.of());
            }
        }
        return true;
    }

    @Override
    public void abort() {
        connections.abort();
    }

    @Override
    public void close() {
        holder = null;
        context.snapshot(List.of());
        birth.close();
        control.close();
        connections.close();
    }
}
