package io.tidegate.engine.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidegate.testkit.mutant.MutantCompiler;
import io.tidegate.testkit.mutant.Replacement;
import io.tidegate.testkit.schedule.Schedules;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Hand-overs between the threads of a session hold in each schedule that is tried. */
class SchedulesTest {

    private static final int SCHEDULES = Integer.getInteger("schedules", 20);

    static List<Class<? extends Runnable>> scenarios() {
        return List.of(
                WakeUps.class,
                ReadBatches.class,
                DryCuts.class,
                Acknowledgements.OfReader.class,
                Acknowledgements.OfSource.class,
                BlockedReads.class,
                ClosedAtItsEnd.class,
                LateReports.class,
                AsyncReports.class);
    }

    @ParameterizedTest
    @MethodSource("scenarios")
    void aHandOverHoldsInEachScheduleThatIsTried(Class<? extends Runnable> scenario)
            throws ReflectiveOperationException {
        assertThat(Schedules.failure(scenario.getDeclaredConstructor().newInstance(), SCHEDULES))
                .isNull();
    }

    @Test
    void thePageAboutTheProofNamesEachBrokenHandOver() throws IOException {
        List<String> page = Files.readAllLines(Replacement.root().resolve("docs/proof/schedules.md"));
        for (BrokenHandOvers.Broken broken : BrokenHandOvers.all()) {
            String place = broken.change().file().replaceAll(".*/|\\.java", "");
            assertThat(page).contains("| " + broken + " | " + place + " | `" + name(broken.scenario()) + "` |");
        }
    }

    /** They are tried by name only; that the code still has what each of them breaks is seen here. */
    @Test
    void eachBrokenHandOverIsStillInTheCode() throws IOException {
        for (BrokenHandOvers.Broken broken : BrokenHandOvers.all()) {
            assertThat(MutantCompiler.compile(broken.change()))
                    .as(broken.name())
                    .isNotEmpty();
        }
    }

    private static String name(Class<?> scenario) {
        return scenario.getName().replaceAll(".*\\.", "").replace('$', '.');
    }
}
