package io.tidegate.testkit.explore;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidegate.testkit.mutant.MutantCompiler;
import io.tidegate.testkit.mutant.Replacement;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A checker that no broken rule can set off proves nothing. */
class MutantsTest {

    private static final long STATES_MAX = 100_000;
    private static final long WALKS_MAX = 2_000;

    static List<Mutant> mutants() {
        return Mutants.all();
    }

    @ParameterizedTest
    @MethodSource("mutants")
    void eachBrokenRuleIsCaughtByTheCheckerOfItsInvariant(Mutant mutant) throws Exception {
        Class<?> explore = MutantCompiler.load(
                        mutant.replacement(), "io.tidegate.engine.gate.", "io.tidegate.testkit.explore.")
                .loadClass(Explore.class.getName());
        String found;
        if (mutant.configuration().equals(Mutant.WALKS)) {
            Method walk = explore.getDeclaredMethod("walkUntilViolated", long.class);
            found = (String) walk.invoke(null, WALKS_MAX);
        } else {
            Method shortest = explore.getDeclaredMethod("shortestViolation", String.class, long.class);
            found = (String) shortest.invoke(null, mutant.configuration(), STATES_MAX);
        }
        assertThat(found)
                .as("what exploration found in %s", mutant.configuration())
                .isNotNull()
                .startsWith(mutant.verdict());
    }

    @Test
    void eachMutantHasANameOfItsOwn() {
        Set<String> names = new HashSet<>();
        for (Mutant mutant : Mutants.all()) {
            assertThat(names.add(mutant.name())).as(mutant.name()).isTrue();
        }
        assertThat(names).hasSizeGreaterThanOrEqualTo(26);
    }

    @Test
    void thePageAboutTheProofNamesEachMutantAndItsChecker() throws IOException {
        String page = Files.readString(Replacement.root().resolve("docs/proof/exploration.md"));
        for (Mutant mutant : Mutants.all()) {
            String checker = mutant.verdict().strip().replaceAll(":$", "");
            assertThat(page.lines())
                    .as(mutant.name())
                    .anyMatch(line -> line.startsWith("| " + mutant.name() + " |")
                            && line.endsWith("| `" + mutant.configuration() + "` | " + checker + " |"));
        }
    }
}
