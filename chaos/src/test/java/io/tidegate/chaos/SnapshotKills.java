package io.tidegate.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidegate.chaos.TableTrial.Mode;
import io.tidegate.testkit.mutant.Replacement;
import java.io.IOException;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;

/** Kills pipelines that read rows. */
final class SnapshotKills {

    private static final String SNAPSHOT_PLAN =
            "connectors/postgres/src/main/java/io/tidegate/connector/postgres/birth/SnapshotPlan.java";
    private static final int BULK_ROWS = 3_000;
    private static final int PER_SECOND = 60;

    /** Four batches of 200 may be durable before the first of them is reported. */
    private static final int IN_FLIGHT = 800;

    /** About four chunks. */
    private static final MovingWork MOVING = new MovingWork(4_000);

    static final List<KillScenario> SCENARIOS = List.of(
            new KillScenario(
                    "nothing",
                    "in the middle of the snapshot, with nothing persisted",
                    new EngineMutant(
                            "does not say, when it reads a table again, that what it gave of it is void",
                            new Replacement(
                                    SNAPSHOT_PLAN,
                                    "begin(chunks, table.attempt() > 0 || table.marker());",
                                    "begin(chunks, table.marker());"),
                            "O3: attempt 2 does not begin with a truncate"),
                    Set.of(Variation.STALL),
                    SnapshotKills::nothingPersisted),
            new KillScenario(
                    "chunks",
                    "with some chunks done, while rows move between them and leave their large values out of the log",
                    new EngineMutant(
                            "does not look up, in catch-up, the row that an update has moved",
                            new Replacement(
                                    "connectors/postgres/src/main/java/io/tidegate/connector/postgres/pgoutput/PgOutputDecoder.java",
                                    "boolean partial = kind == 'I' || (origin.catchUp() && old != null);",
                                    "boolean partial = kind == 'I';"),
                            "item: missing or not the same"),
                    Set.of(Variation.KILL, Variation.CONTROL),
                    SnapshotKills::someChunksDone),
            new KillScenario(
                    "handover",
                    "at the hand-over from snapshot to log",
                    new EngineMutant(
                            "gives what the snapshot contains again, from the log",
                            new Replacement(
                                    "connectors/postgres/src/main/java/io/tidegate/connector/postgres/pgoutput/PgOutputDecoder.java",
                                    "return table != null && (snapshotPoint == null || !commitLsn.isBefore(snapshotPoint));",
                                    "return table != null;"),
                            "O4: a change below its table's snapshot point"),
                    Set.of(Variation.KILL),
                    SnapshotKills::handOver),
            new KillScenario(
                    "added",
                    "while a table is being added",
                    new EngineMutant(
                            "reads the log on from the point of the added table's snapshot",
                            new Replacement(
                                    SNAPSHOT_PLAN,
                                    "add.add(log(durable, record, add.stream().map(SplitPlan::id).toList()));",
                                    """
                                    List<String> after = add.stream().map(SplitPlan::id).toList();
                                    add.add(new SplitPlan(
                                            "a" + record.attempt() + "/" + LOG, after, origin.point(), LOG, record.lineage()));
                                    """),
                            "L1: committed and never delivered"),
                    Set.of(Variation.KILL),
                    SnapshotKills::tableAdded));

    private SnapshotKills() {}

    /** Nothing is reported durable, so nothing is done; and no checkpoint is due for ten minutes. */
    private static void nothingPersisted(KillRun run) throws SQLException, IOException {
        FileTrial trial = run.files();
        MixedWork.createTables(run.server(), trial.name(), BULK_ROWS);
        Load load = run.load(trial, new MixedWork(false), PER_SECOND);
        trial.configure("10m");
        load.resume();
        load.awaitCommits(5); // no row of the book: its chunk would be done
        run.start(trial, "settling:1/" + BULK_ROWS);
        run.killWhen(trial, "rows in the files", () -> !trial.delivered().isEmpty(), standing -> {
            assertThat(standing.attempt()).isEqualTo(1);
            assertThat(standing.splitsDone()).isEmpty();
            assertThat(trial.delivered()).hasSizeLessThanOrEqualTo(IN_FLIGHT);
        });
        load.awaitCommits(20);
        trial.configure("50ms");
        run.start(trial);
        trial.awaitReadingTheLog();
        load.pause();
        run.finish(trial, load);
    }

    /** One chunk after the other, held after more than one and before the last. */
    private static void someChunksDone(KillRun run) throws SQLException, IOException {
        TableTrial trial = run.tables(Mode.UPSERT);
        MixedWork.createTables(run.server(), trial.name(), 0);
        MOVING.createTable(run.server(), trial.name());
        Load moving = run.load(trial, MOVING, PER_SECOND);
        trial.settings("snapshot_parallel: 1", "retry: {initial: 20ms, max: 500ms}\n");
        trial.configure("50ms");
        moving.resume();
        run.start(trial, "settling:3000/4600");
        run.killWhen(
                trial, "some chunks to be done", () -> trial.look().chunksDone(MovingWork.TABLE) >= 1, standing -> {
                    assertThat(standing.snapshotDone()).isFalse();
                    assertThat(standing.splitsOpen()).anyMatch(id -> id.contains("/public.item/"));
                });
        moving.commit(MOVING::acrossAllChunks);
        run.start(trial, "settling:300/1000");
        run.killWhen(
                trial, "the next attempt at what is left", () -> trial.look().attempt() == 2, standing -> {
                    assertThat(standing.chunksKept(MovingWork.TABLE)).isPositive();
                    assertThat(standing.snapshotDone()).isFalse();
                });
        moving.commit(MOVING::acrossAllChunks);
        run.start(trial);
        trial.awaitReadingTheLog();
        moving.awaitCommits(20);
        moving.pause();
        run.finish(trial, moving);
    }

    /**
     * The log opens when the slot is free, so who holds it is the upper bound. A session looks at the slot when it begins, too:
     * so the target is held, at a fence that a first process has left, until the next attempt is planned and the slot is taken.
     */
    private static void handOver(KillRun run) throws SQLException, IOException {
        TableTrial trial = run.tables(Mode.APPEND);
        MixedWork.createTables(run.server(), trial.name(), 0);
        Load load = run.load(trial, new MixedWork(false), PER_SECOND);
        load.resume();
        load.awaitCommits(5);
        run.start(trial, "settling:1/600");
        run.killWhen(
                trial,
                "rows at the target",
                () -> trial.arrived() > 0,
                standing -> assertThat(standing.splitsDone()).isEmpty());
        load.awaitCommits(20);
        if (run.isControl()) {
            trial.awaitReadingTheLog();
        } else {
            SlotGrip slot;
            try (FenceGrip fence = trial.grip()) {
                run.start(trial);
                // A session looks at the slot until it is ready, and only then opens its sink.
                run.await(
                        trial,
                        "the next attempt to wait for its sink",
                        () -> trial.look().attempt() == 2 && !trial.waiting().isEmpty());
                fence.check();
                slot = SlotGrip.on(run.server(), trial);
            }
            try (slot) {
                run.killWhen(
                        trial, "the snapshot to be done", () -> trial.look().snapshotDone(), standing -> {
                            slot.check();
                            assertThat(standing.attempt()).isEqualTo(2);
                        });
            }
            trial.awaitSlot(false);
            run.start(trial);
            trial.awaitReadingTheLog();
        }
        load.awaitCommits(20);
        load.pause();
        run.finish(trial, load);
    }

    /** The added table is held before any of its rows is reported; the others are written meanwhile. */
    private static void tableAdded(KillRun run) throws SQLException, IOException {
        FileTrial trial = run.files();
        MixedWork.createTables(run.server(), trial.name(), BULK_ROWS);
        Load load = run.load(trial, new MixedWork(false), PER_SECOND);
        trial.configure("50ms", "[public.ledger, public.account, public.pair, public.scratch, public.doc]", false);
        load.resume();
        run.start(trial);
        trial.awaitReadingTheLog();
        trial.awaitBytes(10_000);
        run.retain(trial);
        trial.stop();
        load.awaitCommits(20); // what the log must not leave out
        trial.configure("50ms");
        run.start(trial, "settling:1/" + BULK_ROWS);
        run.killWhen(
                trial,
                "rows of the added table",
                () -> trial.holds("\"table\":\"bulk\"") && trial.look().attempt() > 1,
                standing -> {
                    assertThat(standing.splitsOpen()).anyMatch(id -> id.contains("/public.bulk/"));
                    assertThat(standing.chunksDone("bulk")).isZero();
                });
        load.awaitCommits(20);
        run.start(trial);
        trial.awaitReadingTheLog();
        load.pause();
        run.finish(trial, load);
    }
}
