package io.tidegate.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidegate.testkit.mutant.Replacement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Kills a pipeline at each step of its birth: before and after each record of it, and while the server makes what a step
 * asks for. Each next process has to mend what the one before left.
 */
final class BirthKill {

    private static final String NOTHING_MADE = "I17: what was made before the intent was recorded";

    static final KillScenario SCENARIO = new KillScenario(
            "birth",
            "at each step of its birth",
            new EngineMutant(
                    "makes publication and slot before it has recorded that it will",
                    new Replacement(
                            "connectors/postgres/src/main/java/io/tidegate/connector/postgres/birth/Birth.java",
                            "            return intent(record, control);",
                            "            return write(slot(record.begin(config, Intent.CREATE, Intent.CREATE), control));"),
                    NOTHING_MADE),
            Set.of(Variation.KILL),
            BirthKill::run);

    private static final String SLOT =
            "SELECT slot_name FROM pg_replication_slots WHERE NOT temporary AND database = '%s'"
                    + " AND confirmed_flush_lsn IS %s NULL";
    private static final String TEMPORARY =
            "SELECT slot_name FROM pg_replication_slots WHERE temporary AND database = '%s' AND confirmed_flush_lsn IS %s NULL";

    /** Who holds the snapshot has it from the slot, which is let go then. */
    private static final String HOLDER =
            "SELECT pid FROM pg_stat_activity WHERE datname = '%s' AND application_name LIKE '%%tidegate%%'"
                    + " AND state = 'idle in transaction' AND backend_xmin IS %s NULL";

    private BirthKill() {}

    private static void run(KillRun run) throws SQLException, IOException {
        FileTrial trial = run.files();
        MixedWork.createTables(run.server(), trial.name(), 100);
        Load load = run.load(trial, new MixedWork(false), 60);
        load.resume();
        intentAndSlot(run, trial);
        run.retain(trial);
        snapshotAndPlan(run, trial);
        run.start(trial);
        trial.awaitReadingTheLog();
        load.pause();
        run.finish(trial, load);
    }

    private static void intentAndSlot(KillRun run, FileTrial trial) throws SQLException, IOException {
        run.start(trial, "prepared:1/4");
        run.killWhen(
                trial, "the state to be held", () -> Files.exists(trial.state().resolve("lock")), standing -> {
                    assertThat(record(trial)).as("nothing is recorded").isEmpty();
                    assertThat(made(run, trial)).as(NOTHING_MADE).isEmpty();
                });
        run.start(trial, "recorded:1/3");
        run.killWhen(trial, "the intent", () -> record(trial).contains("slot.intent"), standing -> {
            assertThat(record(trial)).doesNotContain("slot.position");
            assertThat(made(run, trial)).as(NOTHING_MADE).isEmpty();
        });
        try (OpenTransaction held = held(run, trial)) {
            run.start(trial);
            run.killWhen(
                    trial,
                    "the slot to be in the making",
                    () -> there(run, trial, SLOT, ""),
                    standing -> assertThat(record(trial)).doesNotContain("slot.position"));
        }
        run.start(trial, "prepared:1/3");
        run.killWhen(
                trial,
                "the slot to be complete",
                () -> there(run, trial, SLOT, "NOT"),
                standing -> assertThat(record(trial)).doesNotContain("slot.position"));
        run.start(trial, "recorded:1/2");
        run.killWhen(
                trial,
                "the slot's record",
                () -> record(trial).contains("slot.position"),
                standing -> assertThat(standing.attempt()).isZero());
    }

    private static void snapshotAndPlan(KillRun run, FileTrial trial) throws SQLException, IOException {
        try (OpenTransaction held = held(run, trial)) {
            run.start(trial);
            run.killWhen(
                    trial,
                    "the snapshot's slot to be in the making",
                    () -> there(run, trial, TEMPORARY, ""),
                    standing -> assertThat(standing.attempt()).isZero());
        }
        run.start(trial, "prepared:1/2");
        run.killWhen(
                trial,
                "the snapshot to be held",
                () -> there(run, trial, HOLDER, "NOT"),
                standing -> assertThat(standing.attempt()).isZero());
        if (!run.isControl()) {
            Files.writeString(trial.out(), ""); // no folder can be made there, so no sink opens and no row is read
            run.start(trial);
            run.killWhen(trial, "the plan's record", () -> trial.look().attempt() > 0, standing -> {
                assertThat(standing.splitsDone()).isEmpty();
                assertThat(standing.splitsOpen()).isNotEmpty();
                assertThat(trial.out()).isEmptyFile();
            });
            Files.delete(trial.out());
        }
    }

    /** In the control nothing may hold the one process that there is. */
    private static OpenTransaction held(KillRun run, Trial trial) throws SQLException {
        OpenTransaction held = new OpenTransaction(run.server(), trial.name());
        if (run.isControl()) {
            held.close();
        }
        return held;
    }

    private static boolean there(KillRun run, Trial trial, String query, String not) throws SQLException {
        return !run.server().query(query.formatted(trial.name(), not)).isEmpty();
    }

    /** What there is of the pipeline at the server. */
    private static List<String> made(KillRun run, Trial trial) throws SQLException {
        return run.server()
                .queryIn(
                        trial.name(),
                        "SELECT pubname FROM pg_publication UNION ALL SELECT slot_name FROM pg_replication_slots"
                                + " WHERE database = current_database()");
    }

    /** The text of the newest state file; empty if there is none. */
    private static String record(Trial trial) throws IOException {
        if (!Files.isDirectory(trial.state())) {
            return "";
        }
        try (Stream<Path> files = Files.list(trial.state())) {
            List<Path> generations = files.filter(file -> file.toString().endsWith(".log"))
                    .sorted()
                    .toList();
            return generations.isEmpty() ? "" : Files.readString(generations.get(generations.size() - 1));
        }
    }
}
