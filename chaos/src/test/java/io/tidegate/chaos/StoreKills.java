package io.tidegate.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidegate.chaos.TableTrial.Mode;
import io.tidegate.testkit.mutant.Replacement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** Kills pipelines between two steps of the one rule: deliver, settle, persist, acknowledge. */
final class StoreKills {

    private static final int PER_SECOND = 100;
    private static final int BORN_WITH = 600;
    private static final int IN_FLIGHT = 800;

    static final List<KillScenario> SCENARIOS = List.of(
            new KillScenario(
                    "unreported",
                    "between the sink's write and its report",
                    new EngineMutant(
                            "does not leave out what the target has",
                            new Replacement(
                                    "connectors/jdbc/src/main/java/io/tidegate/connector/jdbc/JdbcSession.java",
                                    "if (durable != null && Arrays.compareUnsigned(ordinal, durable) <= 0) {",
                                    "if (durable != null && durable.length == 0) {"),
                            "changes that are there again"),
                    Set.of(Variation.STALL),
                    StoreKills::unreported),
            new KillScenario(
                    "store",
                    "in the middle of the store's write",
                    new EngineMutant(
                            "acknowledges before the store wrote",
                            new Replacement(
                                    "engine/src/main/java/io/tidegate/engine/gate/Gate.java",
                                    "effects.persist(write);",
                                    """
                                    effects.persist(write);
                                    for (SplitProgress each : write.progress()) {
                                        effects.acknowledge(ledger(each.id()).handle, each);
                                    }
                                    """),
                            "I1: the slot was confirmed"),
                    Set.of(Variation.KILL, Variation.MUTANT),
                    StoreKills::storeWrite),
            new KillScenario(
                    "unacknowledged",
                    "between the store's write and the acknowledgement",
                    new EngineMutant(
                            "takes a slot behind the checkpoint for one that was moved",
                            new Replacement(
                                    "connectors/postgres/src/main/java/io/tidegate/connector/postgres/birth/Continuity.java",
                                    "if (confirmed == null || confirmed.isAfter(position)) {",
                                    "if (confirmed == null || !confirmed.equals(position)) {"),
                            "TG-POSITION-LOST"),
                    Set.of(Variation.KILL),
                    StoreKills::unacknowledged));

    private StoreKills() {}

    private static void unreported(KillRun run) throws SQLException, IOException {
        TableTrial trial = run.tables(Mode.APPEND);
        MixedWork.createTables(run.server(), trial.name(), 0);
        Load load = run.load(trial, new MixedWork(false), PER_SECOND);
        run.start(trial, "settling:" + (BORN_WITH + 1_000) + "/" + (BORN_WITH + 3_000));
        trial.awaitReadingTheLog();
        run.retain(trial);
        load.commitHundreds(30);
        run.killWhen(
                trial,
                "changes at the target",
                () -> trial.arrived() >= BORN_WITH + 1_000,
                standing -> assertThat(trial.arrived()).isLessThanOrEqualTo(BORN_WITH + 1_000 + IN_FLIGHT));
        run.finish(trial, load);
    }

    /** First in a record behind others, then in a new generation of the file. */
    private static void storeWrite(KillRun run) throws SQLException, IOException {
        FileTrial trial = run.files();
        MixedWork.createTables(run.server(), trial.name(), 0);
        Load load = run.load(trial, new MixedWork(false), PER_SECOND);
        run.start(trial);
        trial.awaitReadingTheLog();
        run.retain(trial);
        trial.stop();
        load.resume();
        run.start(trial, "writing:7/12");
        run.killWhen(
                trial,
                "half of a record, and changes behind it",
                () -> isTorn(trial) && trial.delivered().size() >= 800,
                standing -> assertThat(isTorn(trial)).isTrue());
        long[] before = {trial.look().log()};
        run.start(trial, "writing:1/12");
        run.killWhen(
                trial,
                "half of a new file",
                () -> !filesOf(trial, ".tmp").isEmpty(),
                standing -> assertThat(standing.log()).isEqualTo(before[0]));
        run.start(trial);
        load.awaitCommits(20);
        load.pause();
        run.finish(trial, load);
    }

    /** The reader is held where it would tell the server. */
    private static void unacknowledged(KillRun run) throws SQLException, IOException {
        FileTrial trial = run.files();
        MixedWork.createTables(run.server(), trial.name(), 0);
        Load load = run.load(trial, new MixedWork(false), PER_SECOND);
        run.start(trial);
        trial.awaitReadingTheLog();
        run.retain(trial);
        long stopped = trial.stop().log();
        load.commitHundreds(5);
        load.resume();
        run.start(trial, "acknowledging:1/9");
        run.killWhen(
                trial,
                "a checkpoint beyond what is confirmed",
                () -> trial.look().log() > stopped,
                standing -> assertThat(standing.confirmed()).contains(stopped));
        load.awaitCommits(20);
        run.start(trial);
        load.awaitCommits(20);
        load.pause();
        run.finish(trial, load);
    }

    /** Whether the newest state file ends inside of a record. */
    static boolean isTorn(Trial trial) throws IOException {
        List<Path> generations = filesOf(trial, ".log");
        return !generations.isEmpty()
                && !Files.readString(generations.get(generations.size() - 1)).endsWith("\n");
    }

    private static List<Path> filesOf(Trial trial, String suffix) throws IOException {
        try (Stream<Path> files = Files.list(trial.state())) {
            return files.filter(file -> file.toString().endsWith(suffix))
                    .sorted()
                    .toList();
        }
    }
}
