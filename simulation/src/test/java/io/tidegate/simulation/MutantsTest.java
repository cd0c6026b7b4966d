package io.tidegate.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidegate.testkit.mutant.MutantCompiler;
import io.tidegate.testkit.mutant.Replacement;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.nio.file.Files;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Each rule that is broken on purpose is noticed, by the check that is there for it. */
class MutantsTest {

    private static final String[] LOADED_ANEW = {
        "io.tidegate.engine.", "io.tidegate.simulation.", "io.tidegate.connector.files."
    };
    private static final long RUNS_MAX = Long.getLong("simulate.mutant.runs", 3_000);
    private static final int THREADS = 2;

    private static final Map<Mutant, Future<String>> FOUND = new LinkedHashMap<>();
    private static ExecutorService hunters;

    @BeforeAll
    static void hunt() {
        hunters = Executors.newFixedThreadPool(THREADS);
        for (Mutant mutant : Mutants.all()) {
            FOUND.put(mutant, hunters.submit(() -> first(mutant)));
        }
    }

    @AfterAll
    static void end() {
        hunters.shutdownNow();
        FOUND.clear();
    }

    private static String first(Mutant mutant) throws Exception {
        ClassLoader loader = MutantCompiler.load(mutant.change(), LOADED_ANEW);
        return first(loader, mutant);
    }

    private static String first(ClassLoader loader, Mutant mutant) throws Exception {
        Class<?>[] types = {long.class, String.class, long.class};
        return call(loader, "first", types, RUNS_MAX, mutant.where(), mutant.from());
    }

    private static String call(ClassLoader loader, String method, Class<?>[] types, Object... arguments)
            throws Exception {
        try {
            Class<?> hunt = loader.loadClass(Hunt.class.getName());
            return (String) hunt.getMethod(method, types).invoke(null, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        }
    }

    @TestFactory
    Stream<DynamicTest> eachBrokenRuleIsNoticedByTheCheckThatIsThereForIt() {
        return FOUND.entrySet().stream()
                .map(each -> DynamicTest.dynamicTest(each.getKey().name(), () -> {
                    String found = each.getValue().get();
                    assertThat(found)
                            .as("what is broken within %s runs", RUNS_MAX)
                            .isNotEmpty();
                    assertThat(found.split(" ", 3)[2]).startsWith(each.getKey().rule() + ": ");
                }));
    }

    @Test
    void thePageAboutSimulationNamesEachMutantAndItsRule() throws IOException {
        List<String> page = Files.readAllLines(Replacement.root().resolve("docs/proof/simulation.md"));
        for (Mutant mutant : Mutants.all()) {
            assertThat(page).as(mutant.name()).contains(line(mutant));
        }
    }

    private static String line(Mutant mutant) {
        String file = mutant.change().file();
        String place = file.replaceAll(".*/|\\.java", "") + (file.startsWith("simulation/") ? " (twin)" : "");
        String where = mutant.where().isEmpty()
                ? "any"
                : Stream.of(mutant.where().split(" ", -1))
                        .map(each -> "`" + each + "`")
                        .collect(Collectors.joining(" "));
        return "| " + mutant.name() + " | " + place + " | " + where + " | " + mutant.rule() + " |";
    }

    @Test
    void aFailureIsMadeSimplerAndTheCommandThatIsPrintedRepeatsIt() throws Exception {
        Mutant mutant = Mutants.all().stream()
                .filter(each -> each.name().equals("opens more readers than the source allows"))
                .findFirst()
                .orElseThrow();
        ClassLoader loader = MutantCompiler.load(mutant.change(), LOADED_ANEW);
        String found = first(loader, mutant);
        long seed = Long.parseLong(found.split(" ", 3)[1]);

        String report = call(loader, "report", new Class<?>[] {long.class}, seed);

        List<String> lines = report.lines().map(String::strip).toList();
        assertThat(lines.get(1)).startsWith("smaller: I15: ");
        assertThat(lines.get(2)).startsWith("again with: --seed " + seed + " --without-features ");
        String arguments = lines.get(2).substring("again with: ".length());
        String trace = call(loader, "trace", new Class<?>[] {String.class}, arguments);
        assertThat(trace).contains("## I15: ").contains("process 1 starts").contains("commits at");
    }
}
