package io.tidegate.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidegate.spi.ErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Holds {@code docs/errors.md} to the codes; with {@code -Dupdate.docs=true} it writes the table anew and keeps the
 * meanings, which stand there only.
 */
class ErrorPageTest {

    private static final Path PAGE = Path.of("..", "docs", "errors.md");
    private static final String BEGIN = "<!-- codes -->\n";
    private static final String END = "<!-- end -->\n";

    @Test
    void thePageHasARowForEveryCodeAndNoOther() throws IOException {
        String page = Files.readString(PAGE);
        String found = page.substring(page.indexOf(BEGIN) + BEGIN.length(), page.indexOf(END));
        Map<String, String> meanings = new HashMap<>();
        for (String line : found.lines().toList()) {
            String[] cells = line.split(" \\| ", -1);
            if (cells.length == 5) {
                meanings.put(cells[0].replaceAll("[| `]", ""), cells[3]);
            }
        }
        StringBuilder wanted = new StringBuilder(
                "| code | outcome | exit status | meaning | advice |\n| --- | --- | --- | --- | --- |\n");
        for (ErrorCode code : ErrorCode.values()) {
            wanted.append("| `" + code.code() + "` | " + outcome(code) + " | " + code.exitStatus() + " | "
                    + meanings.getOrDefault(code.code(), "") + " | " + code.advice() + " |\n");
        }

        if (Boolean.getBoolean("update.docs")) {
            Files.writeString(PAGE, page.replace(BEGIN + found, BEGIN + wanted));
            return;
        }

        assertThat(found)
                .as("differs from the code: run this test with -Dupdate.docs=true")
                .isEqualTo(wanted.toString());
        List<String> withoutMeaning = Arrays.stream(ErrorCode.values())
                .map(ErrorCode::code)
                .filter(code -> meanings.getOrDefault(code, "").isBlank())
                .toList();
        assertThat(withoutMeaning).isEmpty();
    }

    private static String outcome(ErrorCode code) {
        return switch (code.outcome()) {
            case RETRY -> "retry";
            case AGAIN -> "again";
            case SHOWN -> "shown";
            case HALT -> "stops";
            case STOP -> "clean stop";
        };
    }
}
