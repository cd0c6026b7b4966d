package io.tidegate.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidegate.simulation.stage.Cut;
import io.tidegate.simulation.stage.Fault;
import io.tidegate.simulation.stage.Stage;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A share of what {@link Simulate} runs; {@code -Dsimulate.seeds=…} runs more. */
class SimulationTest {

    private static final long SEEDS = Long.getLong("simulate.seeds", 40_000);
    private static final Duration LIMIT = Duration.ofMinutes(30);
    private static final int THREADS = 2;
    private static final int REPEATED = 40;

    @BeforeAll
    static void quiet() {
        Simulate.quiet();
    }

    @Test
    void whateverFailsNothingIsLostAndWhenNothingFailsAnyMoreItCatchesUp() {
        Runs runs = Runs.of(new Runs.Budget(1, SEEDS, LIMIT.toNanos(), 3), THREADS);

        String failures = runs.failed().entrySet().stream()
                .map(failed -> Simulate.report(failed.getKey(), failed.getValue()))
                .collect(Collectors.joining("\n"));
        assertThat(failures).isEmpty();
        assertThat(runs.runs()).isEqualTo(SEEDS);
        assertThat(runs.neverSeen())
                .as("faults and transitions that were never seen")
                .isEmpty();
    }

    @Test
    void theSameSeedGivesTheSameRun() {
        for (long seed = 1; seed <= REPEATED; seed++) {
            assertThat(trace(seed)).as("seed %s", seed).isEqualTo(trace(seed));
        }
    }

    private static String trace(long seed) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8)) {
            Simulation.run(seed, Cut.NOTHING, out);
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }

    @Test
    void eachSeedLeavesSomeFaultsAndFeaturesOut() {
        long whole = 0;
        for (long seed = 1; seed <= REPEATED; seed++) {
            Stage stage = new Stage(seed, Cut.NOTHING, null);
            whole += stage.swarm().faults().size() == Fault.values().length ? 1 : 0;
        }
        assertThat(whole).isZero();
    }
}
