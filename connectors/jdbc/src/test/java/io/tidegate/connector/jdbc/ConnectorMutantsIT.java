package io.tidegate.connector.jdbc;

import io.tidegate.testkit.mutant.ScenarioMutant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A test that no broken rule of the connector can set off proves nothing. */
class ConnectorMutantsIT {

    static List<ScenarioMutant> mutants() {
        return ConnectorMutants.all();
    }

    @ParameterizedTest
    @MethodSource("mutants")
    void eachBrokenRuleIsNoticedByItsTest(ScenarioMutant mutant) throws Exception {
        mutant.mustBeCaught(ConnectorMutants.ANEW);
    }

    @Test
    void eachOfTheseTestsIsRunWhereNothingIsBroken() {
        ScenarioMutant.mustBeRunByTheBuild(ConnectorMutants.all());
    }

    @Test
    void thePageAboutTheProofNamesEachMutantAndItsTest() throws Exception {
        ScenarioMutant.mustBeOnThePage(ConnectorMutants.all());
    }
}
