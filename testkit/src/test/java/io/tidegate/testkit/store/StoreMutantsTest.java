package io.tidegate.testkit.store;

import io.tidegate.testkit.mutant.ScenarioMutant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A test that no broken rule of the store can set off proves nothing. */
class StoreMutantsTest {

    static List<ScenarioMutant> mutants() {
        return StoreMutants.all();
    }

    @ParameterizedTest
    @MethodSource("mutants")
    void eachBrokenRuleIsNoticedByItsTest(ScenarioMutant mutant) throws Exception {
        mutant.mustBeCaught(StoreMutants.ANEW);
    }

    @Test
    void eachOfTheseTestsIsRunWhereNothingIsBroken() {
        ScenarioMutant.mustBeRunByTheBuild(StoreMutants.all());
    }

    @Test
    void thePageAboutTheProofNamesEachMutantAndItsTest() throws Exception {
        ScenarioMutant.mustBeOnThePage(StoreMutants.all());
    }
}
