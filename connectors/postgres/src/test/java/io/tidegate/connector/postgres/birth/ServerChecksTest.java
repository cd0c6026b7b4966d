package io.tidegate.connector.postgres.birth;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidegate.connector.postgres.birth.ServerFacts.Limited;
import io.tidegate.connector.postgres.config.PostgresConfig;
import io.tidegate.connector.postgres.config.PostgresConfig.SnapshotMode;
import io.tidegate.connector.postgres.config.ServerConfig;
import io.tidegate.connector.postgres.config.TlsConfig;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.Finding;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ServerChecksTest {

    private static final ServerFacts GOOD =
            new ServerFacts(17, false, "logical", 60_000, "", new Limited(10, 0), new Limited(10, 0));

    private static PostgresConfig config(SnapshotMode mode) {
        ServerConfig server = new ServerConfig(
                List.of(),
                "shop",
                "cdc",
                null,
                "tidegate shop",
                Duration.ofSeconds(10),
                new TlsConfig(TlsConfig.Mode.DISABLE, null, null, null, null),
                Map.of());
        return new PostgresConfig(
                "shop", server, List.of(), true, "s", false, "p", false, false, mode, false, 2, 1 << 20, 1 << 20,
                List.of());
    }

    private static List<Finding> findings(ServerFacts server, SnapshotMode mode, boolean begun) {
        List<Finding> findings = new ArrayList<>();
        ServerChecks.add(findings, config(mode), server, begun);
        return findings;
    }

    private static List<Finding> findings(ServerFacts server) {
        return findings(server, SnapshotMode.INITIAL, false);
    }

    @Test
    void aServerThatHasEverythingGivesNoFinding() {
        assertThat(findings(GOOD)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"13, 14 is the oldest", "19, 18 is the newest"})
    void refusesAVersionThatWasNeverTried(int version, String said) {
        assertThat(findings(new ServerFacts(version, false, "logical", 60_000, "", GOOD.slots(), GOOD.senders())))
                .singleElement()
                .satisfies(f -> assertThat(f.severity()).isEqualTo(Finding.Severity.ERROR))
                .satisfies(f -> assertThat(f.problem()).contains(said));
    }

    @Test
    void refusesAStandby() {
        assertThat(findings(new ServerFacts(17, true, "logical", 60_000, "", GOOD.slots(), GOOD.senders())))
                .singleElement()
                .satisfies(f -> assertThat(f.severity()).isEqualTo(Finding.Severity.ERROR))
                .satisfies(f -> assertThat(f.problem()).contains("standby"));
    }

    @ParameterizedTest
    @CsvSource({"INITIAL, false, 2, 2", "NONE, false, 1, 1", "ONLY, false, 1, 1", "INITIAL, true, 0, 0"})
    void needsASlotAndAWalsenderForTheLogAndForTheSnapshot(SnapshotMode mode, boolean begun, int slots, int senders) {
        ServerFacts enough = new ServerFacts(
                17, false, "logical", 60_000, "", new Limited(5 + slots, 5), new Limited(7 + senders, 7));
        assertThat(findings(enough, mode, begun)).isEmpty();
        if (slots > 0) {
            ServerFacts few = new ServerFacts(
                    17, false, "logical", 60_000, "", new Limited(4 + slots, 5), new Limited(6 + senders, 7));
            assertThat(findings(few, mode, begun))
                    .extracting(Finding::object)
                    .containsExactly("max_replication_slots", "max_wal_senders");
        }
    }

    @ParameterizedTest
    @CsvSource({"0, never notices", "1, short pauses", "4999, short pauses"})
    void warnsOfATimeoutThatIsOffOrTiny(int millis, String said) {
        assertThat(findings(new ServerFacts(17, false, "logical", millis, "", GOOD.slots(), GOOD.senders())))
                .singleElement()
                .satisfies(f -> assertThat(f.severity()).isEqualTo(Finding.Severity.WARNING))
                .satisfies(f -> assertThat(f.problem()).contains(said));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "*; true",
                "FIRST 1 (a, *); true",
                "ANY 1 (\"TideGate Shop\"); true",
                "\"tidegate shop\"; true",
                "\"tidegate shop 2\"; false",
                "\"*x\"; false",
                "standby1, standby2; false"
            })
    void refusesToBecomeAStandbyThatCommitsWaitFor(String names, boolean refused) {
        List<Finding> found =
                findings(new ServerFacts(17, false, "logical", 60_000, names, GOOD.slots(), GOOD.senders()));
        assertThat(found).hasSize(refused ? 1 : 0).allMatch(f -> f.code() == ErrorCode.SYNCHRONOUS_STANDBY);
    }
}
