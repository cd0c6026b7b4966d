package io.tidegate.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidegate.chaos.TableTrial.Mode;
import io.tidegate.testkit.mutant.Replacement;
import io.tidegate.testkit.net.TcpProxy;
import java.io.IOException;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;

/** Kills pipelines that read the log. Their tables begin with 600 rows, so what is counted begins behind these. */
final class StreamKills {

    private static final String GATE = "engine/src/main/java/io/tidegate/engine/gate/Gate.java";
    private static final int BORN_WITH = 600;
    private static final int IN_FLIGHT = 800;

    static final List<KillScenario> SCENARIOS = List.of(
            new KillScenario(
                    "inflight",
                    "deep in flight in the stream",
                    new EngineMutant(
                            "moves the frontier when a batch is tracked",
                            new Replacement(GATE, "ledger.track(sequence, resume, changes);", """
                                    ledger.track(sequence, null, changes);
                                    if (resume != null) {
                                        ledger.frontier = resume;
                                        touch(ledger);
                                    }
                                    """),
                            // a marker that rides on a batch takes the frontier back: then the store notices it first
                            "L1: committed and never delivered|I2: the position of split"),
                    Set.of(Variation.KILL, Variation.MUTANT),
                    StreamKills::inFlight),
            new KillScenario(
                    "large",
                    "inside a transaction larger than a batch",
                    new EngineMutant(
                            "gives a change inside a transaction a position to resume from",
                            new Replacement(
                                    "connectors/postgres/src/main/java/io/tidegate/connector/postgres/pgoutput/PgOutputDecoder.java",
                                    "        out.change(rowChange(kind, own, known, table, origin, length), null);\n",
                                    "        out.change(rowChange(kind, own, known, table, origin, length),"
                                            + " new Lsn(commit.value() + 1));\n"),
                            "L1: committed and never delivered"),
                    Set.of(Variation.STALL, Variation.RETAINING),
                    StreamKills::largeTransaction),
            new KillScenario(
                    "backoff",
                    "during back-off",
                    new EngineMutant(
                            "persists all that was handed over when a session fails",
                            new Replacement(GATE, "if (writing == null && !dirty.isEmpty()) { // else a session", """
                                    for (SplitLedger open : splits) {
                                        if (open.opened && open.tracked != null) {
                                            open.frontier = open.tracked;
                                            touch(open);
                                        }
                                    }
                                    if (writing == null && !dirty.isEmpty()) { // else a session"""),
                            "L1: committed and never delivered"),
                    Set.of(Variation.KILL),
                    StreamKills::backOff),
            new KillScenario(
                    "recovered",
                    "during a recovered run, before it is where it had been",
                    new EngineMutant(
                            "confirms what it received",
                            new Replacement(
                                    "connectors/postgres/src/main/java/io/tidegate/connector/postgres/log/LogReader.java",
                                    "stream.sendStatus(later(received, confirmed), confirmed, clock.replied(now));",
                                    "stream.sendStatus(later(received, confirmed), later(received, confirmed),"
                                            + " clock.replied(now));"),
                            "I1: the slot was confirmed"),
                    Set.of(Variation.RETAINING),
                    StreamKills::recoveredRun),
            new KillScenario(
                    "stop",
                    "during a graceful stop",
                    new EngineMutant(
                            "takes the torn end of its state for damage",
                            new Replacement(
                                    "engine/src/main/java/io/tidegate/engine/store/StateFile.java",
                                    "                break;\n            }\n            long found",
                                    "                throw damaged(file, at, \"it is torn\");\n            }\n            long found"),
                            "TG-STATE-DAMAGED"),
                    Set.of(Variation.KILL, Variation.CONTROL),
                    StreamKills::gracefulStop));

    private StreamKills() {}

    /** The sink waits for its lock, and behind it all that may be in flight. */
    private static void inFlight(KillRun run) throws SQLException, IOException {
        TableTrial trial = run.tables(Mode.APPEND);
        Load load = born(run, trial);
        run.start(trial);
        trial.awaitReadingTheLog();
        run.retain(trial);
        load.commitHundreds(5);
        run.await(trial, "all of it", () -> trial.arrived() >= BORN_WITH + 505);
        if (run.isControl()) {
            load.commitHundreds(30);
        } else {
            try (FenceGrip fence = trial.grip()) {
                long arrived = trial.arrived();
                load.commitHundreds(30);
                run.killWhen(trial, "the sink to wait, and much behind it", () -> deep(run, trial), standing -> {
                    fence.check();
                    assertThat(trial.arrived()).isEqualTo(arrived);
                });
            }
        }
        run.finish(trial, load);
    }

    /** The sink waits for a lock, and the server has sent far more than was confirmed. */
    private static boolean deep(KillRun run, TableTrial trial) throws SQLException {
        return !trial.waiting().isEmpty()
                && !run.server()
                        .query("SELECT 1 FROM pg_stat_replication r JOIN pg_replication_slots s ON s.active_pid = r.pid"
                                + " WHERE s.slot_name = 'tidegate_" + trial.name()
                                + "' AND pg_wal_lsn_diff(r.sent_lsn, s.confirmed_flush_lsn) > 100000")
                        .isEmpty();
    }

    private static void largeTransaction(KillRun run) throws SQLException, IOException {
        FileTrial trial = run.files();
        Load load = born(run, trial);
        run.start(trial, "settling:" + (BORN_WITH + 1_000) + "/" + (BORN_WITH + 4_000));
        trial.awaitReadingTheLog();
        run.retain(trial);
        long end = load.largeTransaction(2_000);
        run.killWhen(trial, "a part of the transaction", () -> logged(trial) >= 1_000, standing -> {
            assertThat(logged(trial)).isLessThanOrEqualTo(1_000 + IN_FLIGHT);
            assertThat(trial.holds("\"token\":" + end + "}")).isFalse();
        });
        load.commitHundreds(2);
        run.finish(trial, load);
    }

    /** The source is cut off, and the next attempt is an hour away; the sink is held, so that not all is settled. */
    private static void backOff(KillRun run) throws SQLException, IOException {
        TableTrial trial = run.tables(Mode.APPEND);
        Load load = born(run, trial);
        try (TcpProxy proxy = TcpProxy.to(run.server().port())) {
            trial.sourceBehind(proxy.port());
            trial.settings("", "retry: {initial: 1h, max: 1h}\n");
            trial.configure("1h");
            run.start(trial);
            trial.awaitReadingTheLog();
            run.retain(trial);
            load.commitHundreds(5);
            run.await(trial, "all of it", () -> trial.arrived() >= BORN_WITH + 505);
            long before = trial.look().log();
            if (run.isControl()) {
                load.commitHundreds(30);
            } else {
                FenceGrip fence = trial.grip();
                try (fence) {
                    load.commitHundreds(30);
                    run.await(trial, "the sink to wait, and much behind it", () -> deep(run, trial));
                    proxy.cut();
                    run.killWhen(
                            trial,
                            "the session to end, and to have persisted what was settled",
                            () -> trial.look().log() > before
                                    && trial.slot("active_pid").isEmpty(),
                            standing -> {
                                fence.check();
                                assertThat(proxy.openConnections()).isZero();
                            });
                    proxy.restore();
                }
                trial.settings("", "retry: {initial: 20ms, max: 500ms}\n");
                trial.configure("50ms");
                run.start(trial);
            }
            run.finish(trial, load);
        }
    }

    /** No checkpoint is due for an hour: both processes read the same from its beginning. */
    private static void recoveredRun(KillRun run) throws SQLException, IOException {
        FileTrial trial = run.files();
        Load load = born(run, trial);
        trial.configure("1h");
        run.start(trial, "settling:" + (BORN_WITH + 2_000) + "/" + (BORN_WITH + 3_000));
        trial.awaitReadingTheLog();
        run.retain(trial);
        load.commitHundreds(30);
        long[] position = {0};
        int[] lines = {0};
        run.killWhen(trial, "most of it", () -> logged(trial) >= 2_000, standing -> {
            position[0] = standing.log();
            lines[0] = logged(trial);
        });
        run.start(trial, "settling:800/3000");
        run.killWhen(trial, "a part of it, again", () -> logged(trial) >= lines[0] + 800, standing -> {
            assertThat(standing.log()).isEqualTo(position[0]);
            assertThat(logged(trial)).isLessThanOrEqualTo(lines[0] + 800 + IN_FLIGHT);
        });
        trial.configure("50ms");
        run.finish(trial, load);
    }

    /** No checkpoint is due for an hour but the one of the stop, and that one is held when half of it is written. */
    private static void gracefulStop(KillRun run) throws SQLException, IOException {
        FileTrial trial = run.files();
        Load load = born(run, trial);
        trial.settings("", "stop_timeout: 1h\n");
        trial.configure("1h");
        run.start(trial);
        trial.awaitReadingTheLog();
        run.retain(trial);
        long stopped = trial.stop().log();
        run.start(trial, "writing:5/6"); // a new file, a record that leaves the chunks out, and the one of the stop
        trial.awaitReadingTheLog();
        load.commitHundreds(5);
        long token = load.mark();
        trial.await("all of it", () -> trial.endsWith("\"token\":" + token + "}"));
        assertThat(trial.look().log()).isEqualTo(stopped);
        trial.engine().askToStop();
        run.killWhen(trial, "half of the checkpoint", () -> StoreKills.isTorn(trial), standing -> {
            assertThat(standing.log()).isEqualTo(stopped);
        });
        if (run.isControl()) {
            assertThat(trial.engine().awaitExit(Trial.STOP_LIMIT)).isZero();
            assertThat(trial.engine().log()).as("what is said while it stops").contains("asked to stop: draining");
            assertThat(trial.standing().confirmed())
                    .as("a stop persists and acknowledges what it delivered")
                    .contains(trial.look().log());
        }
        run.finish(trial, load);
    }

    private static Load born(KillRun run, Trial trial) throws SQLException {
        MixedWork.createTables(run.server(), trial.name(), 0);
        return run.load(trial, new MixedWork(false), 1);
    }

    /** Lines of the log that are in the files. */
    private static int logged(FileTrial trial) {
        return (int) trial.delivered().stream().filter(Delivered::inLog).count();
    }
}
