package io.tidegate.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidegate.server.FakeConnectors;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.TidegateException;
import io.tidegate.testkit.property.Choices;
import io.tidegate.testkit.property.Property;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files that a hand has slipped in: whatever comes, it is said with a code, and no secret is said with it. */
class ConfigPropertyTest {

    private static final String SECRET = "s3cr3t-Qx7";
    private static final Set<ErrorCode> CODES =
            Set.of(ErrorCode.CONFIG_INVALID, ErrorCode.SECRET_MISSING, ErrorCode.CONFIG_UNREADABLE);

    private static final List<String> WORDS = List.of(
            "pipeline",
            "source",
            "sink",
            "batch",
            "changes",
            "-1",
            "10x",
            "99999999999999999999",
            "[",
            "{a: b}",
            "'",
            "\"",
            "&a",
            "*a",
            "!t",
            "|",
            ">",
            "null",
            "~",
            "true",
            "${env:NOTHING}",
            "${file:/none}",
            "---",
            "\t",
            "é",
            "\u0000",
            "? ",
            "- ",
            ": ",
            "#");

    @TempDir
    Path folder;

    @Test
    void aSpoiltFileIsReadRightOrRefusedWithACodeAndNeverTellsTheSecret() {
        Property.checkCovering("spoilt configuration", 2_000, List.of("read", "refused"), choices -> {
            String text = spoilt(choices);
            try {
                load(text);
                choices.saw("read");
            } catch (TidegateException e) {
                choices.saw("refused");
                assertThat(CODES).as(text + "\n" + e.describe()).contains(e.code());
                assertThat(e.describe()).as(text).doesNotContain(SECRET);
            }
        });
    }

    private void load(String text) throws IOException {
        Path file = folder.resolve("pipeline.yaml");
        Files.writeString(file, text);
        new ConfigLoader(new FakeConnectors().connectors(), name -> name.equals("PASSWORD") ? SECRET : null).load(file);
    }

    private static String spoilt(Choices choices) {
        List<String> lines = new ArrayList<>(List.of(
                "pipeline: orders",
                "batch: {changes: 3, bytes: 2KiB}",
                "stop_timeout: 2m",
                "source:",
                "  ocean:",
                "    host: sea",
                "    port: 7",
                "    password: ${env:PASSWORD}",
                "sink:",
                "  bucket:"));
        int slips = choices.between(0, 3);
        for (int i = 0; i < slips && !lines.isEmpty(); i++) {
            int at = choices.below(lines.size());
            switch (choices.below(5)) {
                case 0 -> lines.remove(at);
                case 1 -> lines.add(at, lines.get(choices.below(lines.size())));
                case 2 -> lines.set(at, " ".repeat(choices.below(4)) + lines.get(at));
                case 3 -> lines.set(at, insert(choices, lines.get(at), choices.pick(WORDS)));
                default -> lines.add(at, choices.pick(WORDS) + choices.text(5));
            }
        }
        return String.join("\n", lines) + "\n";
    }

    private static String insert(Choices choices, String line, String word) {
        int at = choices.below(line.length() + 1);
        return line.substring(0, at) + word + line.substring(at);
    }
}
