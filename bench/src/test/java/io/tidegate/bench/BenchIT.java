package io.tidegate.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BenchIT {

    @TempDir
    private Path folder;

    @Test
    void aQuickRunMeasuresEveryContenderAndSaysSoInJson() throws IOException {
        Path json = folder.resolve("quick.json");
        assertThat(Bench.execute("--quick", "--json", json.toString())).isZero();
        JsonNode report = new ObjectMapper().readTree(json.toFile());
        assertThat(report.at("/facts/server").asText()).startsWith("PostgreSQL 17");
        List<List<String>> contenders = new ArrayList<>();
        for (JsonNode table : report.get("tables")) {
            List<String> names = new ArrayList<>();
            for (JsonNode row : table.get("rows")) {
                names.add(row.get(0).asText());
                assertThat(row.get(3).asDouble())
                        .as("changes a second of " + row)
                        .isPositive();
                assertThat(row.get(5).asDouble()).as("client CPU of " + row).isPositive();
                assertThat(row.get(9).asDouble())
                        .as("resident memory of " + row)
                        .isPositive();
            }
            names.remove("pg_recvlogical"); // where it is installed
            contenders.add(names);
        }
        assertThat(contenders)
                .containsExactly(
                        List.of(
                                "floor",
                                "tidegate",
                                "tidegate again",
                                "tidegate to file",
                                "debezium",
                                "debezium without schemas"),
                        List.of(
                                "COPY",
                                "tidegate",
                                "tidegate again",
                                "tidegate to file",
                                "debezium",
                                "debezium without schemas"));
    }

    @Test
    void whatItDoesNotKnowIsRefusedWithTheWordsThatItKnows() {
        assertThat(Bench.execute("tx5000")).isEqualTo(2);
    }

    @Test
    void aContenderThatFailsEndsTheBench() throws IOException {
        Path json = folder.resolve("failed.json");
        assertThat(Bench.execute("--quick", "--jvm=-XX:NoSuchOption", "--json", json.toString(), "tx500"))
                .isEqualTo(1);
        assertThat(Files.exists(json)).isFalse();
    }
}
