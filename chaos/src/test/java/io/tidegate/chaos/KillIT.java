package io.tidegate.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tidegate.chaos.KillRun.Servers;
import io.tidegate.testkit.postgres.PostgresServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * Kills a pipeline in every place where it matters, between a durable fact that was seen and a bound that the process cannot
 * pass. Each build runs a fixed share; {@code -Dchaos.all} runs each scenario in each variation, {@code -Dchaos.only=NAME,…} some
 * scenarios in each.
 */
class KillIT {

    private static final boolean ALL = Boolean.getBoolean("chaos.all");
    private static final Set<String> ONLY = Stream.of(
                    System.getProperty("chaos.only", "").split(","))
            .filter(name -> !name.isEmpty())
            .collect(Collectors.toSet());

    @TempDir
    static Path folder;

    private static PostgresServer server;
    private static PostgresServer target;

    @BeforeAll
    static void startServers() {
        // The server asks for a reply after half of it, so that what is confirmed shows soon.
        server = PostgresServer.version(17).setting("wal_sender_timeout", "4s").start();
        target = PostgresServer.version(18).start();
    }

    @AfterAll
    static void endServers() {
        server.close();
        target.close();
    }

    @Test
    void theServersForceWhatTheyCommit() throws SQLException {
        for (PostgresServer each : List.of(server, target)) {
            for (String setting : List.of("fsync", "full_page_writes", "synchronous_commit")) {
                assertThat(each.query("SHOW " + setting)).as(setting).containsExactly("on");
            }
        }
    }

    @TestFactory
    Stream<DynamicTest> losesNothingWhenItIs() {
        assertThat(ONLY)
                .as("scenarios that were asked for")
                .isSubsetOf(scenarios().stream().map(KillScenario::name).toList());
        return scenarios().stream()
                .filter(scenario -> ONLY.isEmpty() || ONLY.contains(scenario.name()))
                .flatMap(scenario -> Stream.of(Variation.values())
                        .filter(variation ->
                                ALL || !ONLY.isEmpty() || scenario.share().contains(variation))
                        .map(variation -> DynamicTest.dynamicTest(
                                variation.text() + " " + scenario.place(), () -> run(scenario, variation))));
    }

    static List<KillScenario> scenarios() {
        return Stream.of(
                        List.of(BirthKill.SCENARIO),
                        SnapshotKills.SCENARIOS,
                        StreamKills.SCENARIOS,
                        StoreKills.SCENARIOS)
                .flatMap(List::stream)
                .toList();
    }

    private static void run(KillScenario scenario, Variation variation) throws SQLException, IOException {
        Path own = Files.createDirectories(folder.resolve(scenario.name() + "-" + variation));
        try (KillRun run = new KillRun(scenario, variation, new Servers(server, target), own)) {
            if (variation != Variation.MUTANT) {
                scenario.body().run(run);
                return;
            }
            AssertionError caught = catchThrowableOfType(
                    AssertionError.class, () -> scenario.body().run(run));
            assertThat(caught).as(scenario.mutant().broken()).isNotNull();
            assertThat(caught).message().containsPattern(scenario.mutant().caught());
        }
    }
}
