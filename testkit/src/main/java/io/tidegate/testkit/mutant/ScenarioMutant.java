package io.tidegate.testkit.mutant;

import java.io.IOException;
import java.nio.file.Files;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A rule broken on purpose, and the test that must notice.
 *
 * @param name what the broken rule does
 * @param change of the class that keeps the rule
 * @param scenario fails with the mutant, and passes without
 * @param verdict a part of what it fails with, where any white space is one blank
 */
public record ScenarioMutant(String name, Replacement change, Scenario scenario, String verdict) {

    /** An {@link AssertionError} unless the scenario fails as it should; arguments as {@link MutantCompiler#load} has them. */
    public void mustBeCaught(String... prefixes) throws IOException {
        Throwable failure = scenario.failure(MutantCompiler.load(change, prefixes));
        if (failure == null) {
            throw new AssertionError(scenario + " does not notice a rule that is broken: it " + name);
        }
        if (!failure.toString().replaceAll("\\s+", " ").contains(verdict)) {
            throw new AssertionError(scenario + " fails for another reason than that it " + name, failure);
        }
    }

    /**
     * The control: an {@link AssertionError} unless each scenario is a test that the build runs, with these arguments, where
     * nothing is changed.
     */
    public static void mustBeRunByTheBuild(List<ScenarioMutant> mutants) {
        for (ScenarioMutant mutant : mutants) {
            if (!mutant.scenario.isRunByTheBuild()) {
                throw new AssertionError("no test of the build, or none with these arguments: " + mutant.scenario + " "
                        + mutant.scenario.arguments());
            }
        }
    }

    /** An {@link AssertionError} unless the page about the proof has a line for each of these, and no two have one name. */
    public static void mustBeOnThePage(List<ScenarioMutant> mutants) throws IOException {
        List<String> page = Files.readAllLines(Replacement.root().resolve("docs/proof/mutants.md"));
        Set<String> names = new HashSet<>();
        for (ScenarioMutant mutant : mutants) {
            String line = "| " + mutant.name + " | " + mutant.place() + " | `" + mutant.scenario + "` |";
            if (!names.add(mutant.name) || !page.contains(line)) {
                throw new AssertionError("not on the page, or twice: " + line);
            }
        }
    }

    private String place() {
        return change.file().replaceAll(".*/|\\.java", "");
    }

    @Override
    public String toString() {
        return name;
    }
}
