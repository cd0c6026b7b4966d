package io.tidegate.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What holds of the kill tests before they run; most of their mutants run in no build. */
class KillScenarioTest {

    private static final Set<Variation> KILLS = EnumSet.of(Variation.KILL, Variation.STALL, Variation.RETAINING);

    @TempDir
    Path folder;

    @Test
    void eachHasAMutantOfTodaysSource() throws IOException {
        for (KillScenario scenario : KillIT.scenarios()) {
            Path classes = scenario.mutant().compile(folder.resolve(scenario.name()));
            assertThat(classes).as(scenario.mutant().broken()).isNotEmptyDirectory();
        }
    }

    @Test
    void aBuildKillsInEachPlaceAndRunsEachVariationSomewhere() {
        List<KillScenario> all = KillIT.scenarios();
        assertThat(all).extracting(KillScenario::name).doesNotHaveDuplicates();
        assertThat(all).allMatch(scenario -> scenario.share().stream().anyMatch(KILLS::contains));
        assertThat(all).flatMap(KillScenario::share).contains(Variation.values());
    }
}
