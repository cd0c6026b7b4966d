package io.tidegate.testkit.mutant;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

/** A list of mutants that takes everything for caught would prove nothing. */
class ScenarioMutantTest {

    private static final String[] ANEW = {"io.tidegate.engine.store.", "io.tidegate.testkit.store."};
    private static final String FOLDER = "engine/src/main/java/io/tidegate/engine/store/StateFolder.java";
    private static final String TESTS = "io.tidegate.testkit.store.FileStateStoreDamageTest";
    private static final String TWICE = "        old.pollLast();\n        old.pollLast();\n";
    private static final Scenario KEEPS_TWO =
            new Scenario(TESTS, "keepsTheNewestGenerationAndTheOneBeforeIt", List.of());

    private static ScenarioMutant mutant(String put, Scenario scenario, String verdict) {
        return new ScenarioMutant("keeps too little", new Replacement(FOLDER, TWICE, put), scenario, verdict);
    }

    @Test
    void isCaughtOnlyIfTheTestFailsWithTheVerdict() {
        String once = "        old.pollLast();\n";
        assertThatCode(() -> mutant(once, KEEPS_TWO, "state-0000000003.log").mustBeCaught(ANEW))
                .doesNotThrowAnyException();
        assertThatThrownBy(() -> mutant(once, KEEPS_TWO, "no such words").mustBeCaught(ANEW))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("fails for another reason");
        assertThatThrownBy(() -> mutant(TWICE, KEEPS_TWO, "").mustBeCaught(ANEW))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("does not notice");
    }

    @Test
    void needsATestThatTheBuildRunsWithTheSameArguments() {
        String withVersions = "refusesTheFileOfALaterVersionWithACodeOfItsOwnAndLeavesItAsItIs";
        for (Scenario wrong : List.of(
                new Scenario(TESTS, "put", List.of()),
                new Scenario(TESTS, "isNotThere", List.of()),
                new Scenario(TESTS, withVersions, List.of(-7)),
                new Scenario("io.tidegate.testkit.store.NoSuchTest", "any", List.of()))) {
            assertThatThrownBy(() -> ScenarioMutant.mustBeRunByTheBuild(List.of(mutant("", wrong, ""))))
                    .as("%s %s", wrong, wrong.arguments())
                    .isInstanceOf(AssertionError.class);
        }
        ScenarioMutant.mustBeRunByTheBuild(List.of(mutant("", KEEPS_TWO, "")));
    }

    @Test
    void hasALineOnThePageAndANameOfItsOwn() {
        ScenarioMutant unknown = mutant("", KEEPS_TWO, "");
        assertThatThrownBy(() -> ScenarioMutant.mustBeOnThePage(List.of(unknown)))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("| keeps too little | StateFolder | `FileStateStoreDamageTest.");
        ScenarioMutant known = new ScenarioMutant(
                "removes an older generation too many", new Replacement(FOLDER, TWICE, ""), KEEPS_TWO, "");
        assertThatCode(() -> ScenarioMutant.mustBeOnThePage(List.of(known))).doesNotThrowAnyException();
        assertThatThrownBy(() -> ScenarioMutant.mustBeOnThePage(List.of(known, known)))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("twice");
    }
}
