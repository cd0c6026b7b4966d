package io.tidegate.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidegate.chaos.EngineProcess.Launch;
import io.tidegate.chaos.TableTrial.Mode;
import io.tidegate.chaos.Trial.Standing;
import io.tidegate.testkit.await.Await;
import io.tidegate.testkit.postgres.PostgresServer;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * One run of a {@link KillScenario}: starts its processes, sees them, kills them, and judges what is left. In the control
 * it neither holds nor kills.
 */
final class KillRun implements AutoCloseable {

    private static final Duration STALL = Duration.ofMillis(2_500);

    /** Where the databases are. */
    record Servers(PostgresServer source, PostgresServer target) {}

    /** A lower bound: a durable fact that is seen before the kill, and still holds after any time. */
    interface Fact extends Await.Condition<Exception> {}

    /** What an upper bound says after the kill: the process has not come further. */
    interface Bound {
        void check(Standing standing) throws SQLException, IOException;
    }

    private final KillScenario scenario;
    private final Variation variation;
    private final Servers servers;
    private final Path folder;
    private final Optional<Path> classes;
    private final long seed;
    private final List<Load> loads = new ArrayList<>();
    private final Set<String> comesAgain = new HashSet<>();
    private Optional<Trial> trial = Optional.empty();
    private Optional<Retained> retained = Optional.empty();
    private String hold = "";
    private int kills;

    /** In the control, the largest total that a hold would have been given: that many changes are delivered. */
    private int promised;

    KillRun(KillScenario scenario, Variation variation, Servers servers, Path folder) throws IOException {
        this.scenario = scenario;
        this.variation = variation;
        this.servers = servers;
        this.folder = folder;
        this.classes = variation == Variation.MUTANT
                ? Optional.of(scenario.mutant().compile(folder.resolve("mutant")))
                : Optional.empty();
        this.seed = Seeds.of(name());
    }

    private String name() {
        return (scenario.name() + "_" + variation).toLowerCase(Locale.ROOT);
    }

    long seed() {
        return seed;
    }

    boolean isControl() {
        return variation == Variation.CONTROL;
    }

    PostgresServer server() {
        return servers.source();
    }

    PostgresServer target() {
        return servers.target();
    }

    FileTrial files() throws SQLException, IOException {
        FileTrial made = new FileTrial(servers.source(), folder, name());
        trial = Optional.of(made);
        return made;
    }

    TableTrial tables(Mode mode) throws SQLException, IOException {
        TableTrial made = new TableTrial(servers.source(), servers.target(), folder, name(), mode);
        trial = Optional.of(made);
        return made;
    }

    /** A load that waits to be resumed, and ends with this run. */
    Load load(Trial of, Work work, int perSecond) {
        Load load = new Load(servers.source(), of.name(), work, seed, perSecond);
        loads.add(load);
        return load;
    }

    /** From here on the upstream forgets nothing, in the variation that is about it. */
    void retain(Trial of) throws SQLException {
        if (variation == Variation.RETAINING && retained.isEmpty()) {
            retained = Optional.of(Retained.of(servers.source(), of));
        }
    }

    /** Starts a process that nothing holds but what the scenario does from outside. */
    void start(Trial of) throws SQLException {
        start(of, "");
    }

    /**
     * Starts a process; in the control, if none runs.
     *
     * @param newHold {@code POINT:NUMBER/TOTAL}
     */
    void start(Trial of, String newHold) throws SQLException {
        if (isControl() && newHold.startsWith("settling:")) {
            promised = Math.max(promised, Integer.parseInt(newHold.substring(newHold.indexOf('/') + 1)));
        }
        if (of.isRunning()) {
            assertThat(isControl()).as("only the control runs on").isTrue();
            return;
        }
        hold = isControl() ? "" : newHold;
        if (retained.isPresent() && kills > 0) {
            of.awaitSlot(false);
            retained.get().putBack();
        }
        of.launch(new Launch(hold, classes));
        of.start();
    }

    /** Waits while the process runs and finds no fault in itself. */
    void await(Trial of, String what, Fact fact) {
        of.await(what, () -> {
            if (of.engine().log().contains("TG-INTERNAL")) {
                throw new AssertionError(
                        "a fault of the program: " + of.engine().log());
            }
            return fact.holds();
        });
    }

    /**
     * Kills the process between two bounds. Does nothing in the control.
     *
     * @param what is seen
     * @param lower the durable fact that tells it
     * @param upper what must not have come to pass
     */
    void killWhen(Trial of, String what, Fact lower, Bound upper) throws SQLException, IOException {
        if (isControl()) {
            return;
        }
        await(of, what, lower);
        if (variation == Variation.STALL || variation == Variation.MUTANT) { // so that what is wrong has time
            long start = System.nanoTime();
            Await.until("the stall to pass", STALL.multipliedBy(4), () -> System.nanoTime() - start > STALL.toNanos());
            await(of, what + ", after a stall", lower);
            assertThat(of.isRunning()).isTrue();
            if (!hold.isEmpty()) {
                String says = "held at " + hold.substring(0, hold.indexOf(':'));
                await(of, "it to say that it is held", () -> of.engine().log().contains(says));
            }
        }
        Standing standing = of.kill();
        kills++;
        if (standing.attempt() > 0 && standing.confirmed().isPresent()) {
            retain(of);
        }
        upper.check(standing);
        if (of instanceof FileTrial files) {
            files.delivered().stream()
                    .filter(line -> line.inLog() && Long.compareUnsigned(line.commit(), standing.log()) >= 0)
                    .forEach(line -> comesAgain.add(kills + line.place()));
        }
    }

    /**
     * Lets everything be delivered, and judges it.
     *
     * @param load is paused
     */
    void finish(FileTrial of, Load load) throws SQLException, IOException {
        startAtLast(of);
        Verdict verdict = of.finish(load, seed);
        checkEnd(of);
        assertThat(verdict.again())
                .as("changes that came again, and were not beyond the checkpoint when it was killed")
                .isLessThanOrEqualTo(comesAgain.size());
        List<Delivered> delivered = of.delivered();
        assertThat(delivered).as("changes, of which a hold was told the number").hasSizeGreaterThanOrEqualTo(promised);
        checkHistory(delivered);
    }

    /**
     * Lets everything be delivered, and judges it.
     *
     * @param load is paused
     */
    void finish(TableTrial of, Load load) throws SQLException, IOException {
        startAtLast(of);
        of.finish(load, seed);
        checkEnd(of);
        if (of.mode() == Mode.APPEND) {
            assertThat(of.arrived())
                    .as("changes, of which a hold was told the number")
                    .isGreaterThanOrEqualTo(promised);
            checkHistory(of.delivered());
        }
    }

    private void checkHistory(List<Delivered> delivered) throws SQLException {
        if (retained.isPresent()) {
            assertThat(retained.get().faults(delivered))
                    .as("by the history of the upstream")
                    .isEmpty();
        }
    }

    private void startAtLast(Trial of) throws SQLException {
        if (!of.isRunning()) {
            start(of);
        }
    }

    private void checkEnd(Trial of) throws IOException {
        assertThat(kills > 0).as("killed").isNotEqualTo(isControl());
        for (String log : of.logs()) {
            assertThat(EngineLog.faults(log)).as(log).isEmpty();
        }
    }

    /** Leaves nothing behind: each slot holds the log of all databases, and each database is many files. */
    @Override
    public void close() throws SQLException {
        trial.ifPresent(Trial::close);
        for (Load load : loads) {
            load.close();
        }
        if (trial.isPresent()) {
            String ours = " FROM pg_replication_slots WHERE database = '" + name() + "'";
            Await.until(
                    "the slots to be free",
                    Trial.LIMIT,
                    () -> servers.source()
                            .query("SELECT 1" + ours + " AND active")
                            .isEmpty());
            servers.source().query("SELECT pg_drop_replication_slot(slot_name)" + ours);
            for (PostgresServer each : List.of(servers.source(), servers.target())) {
                each.execute("DROP DATABASE IF EXISTS " + name() + " WITH (FORCE)");
            }
        }
    }
}
