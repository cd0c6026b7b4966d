package io.tidegate.bench.workload;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WrittenLinesTest {

    @TempDir
    private Path folder;

    @Test
    void countsTheLinesOfAllFilesAndKeepsTheLastOne() throws IOException {
        Files.writeString(folder.resolve("bench-00000002.jsonl.open"), "c\nd\n");
        Files.writeString(folder.resolve("bench-00000001.jsonl"), "a\nb\n");
        Files.writeString(folder.resolve("lock"), "nothing");
        assertThat(WrittenLines.in(folder)).hasValue(new WrittenLines(4, "d"));
    }

    @Test
    void whereNobodyWroteThereIsNothingToLookAt() {
        assertThat(WrittenLines.in(folder.resolve("none"))).isEmpty();
    }
}
