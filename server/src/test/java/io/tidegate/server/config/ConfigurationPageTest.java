package io.tidegate.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidegate.spi.Setting;
import io.tidegate.spi.SettingText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Holds {@code docs/configuration.md} to the settings; with {@code -Dupdate.docs=true} it writes its tables anew. */
class ConfigurationPageTest {

    private static final Path PAGE = Path.of("..", "docs", "configuration.md");

    private static final Pattern TABLE =
            Pattern.compile("<!-- table: ([^>]*) -->\\n(.*?)<!-- end -->\\n?", Pattern.DOTALL);

    @Test
    void thePageHasARowForEverySettingAndNoOther() throws IOException {
        String page = Files.readString(PAGE);
        Map<String, String> wanted = tables();

        if (Boolean.getBoolean("update.docs")) {
            Files.writeString(PAGE, rewritten(page, wanted));
        }

        Map<String, String> found = new LinkedHashMap<>();
        Matcher matcher = TABLE.matcher(Files.readString(PAGE));
        while (matcher.find()) {
            found.put(matcher.group(1), matcher.group(2));
        }
        assertThat(found)
                .as("differs from the code: run this test with -Dupdate.docs=true")
                .isEqualTo(wanted);
    }

    private static String rewritten(String page, Map<String, String> wanted) {
        Matcher matcher = TABLE.matcher(page);
        assertThat(matcher.find()).isTrue();
        StringBuilder text = new StringBuilder(page.substring(0, page.indexOf("## Pipeline")));
        wanted.forEach((name, rows) -> {
            text.append(name.equals("pipeline") ? "" : "\n");
            text.append("## ").append(heading(name)).append("\n\n");
            text.append("<!-- table: ")
                    .append(name)
                    .append(" -->\n")
                    .append(rows)
                    .append("<!-- end -->\n");
        });
        return text.toString();
    }

    private static String heading(String name) {
        return name.equals("pipeline") ? "Pipeline" : name.replaceFirst("(source|sink)\\.(.*)", "`$1: $2`");
    }

    private static Map<String, String> tables() {
        Map<String, String> tables = new LinkedHashMap<>();
        tables.put("pipeline", table(PipelineSettings.all()));
        Connectors connectors = Connectors.onClassPath();
        connectors.sources().forEach((name, connector) -> tables.put("source." + name, table(connector.settings())));
        connectors.sinks().forEach((name, connector) -> tables.put("sink." + name, table(connector.settings())));
        return tables;
    }

    private static String table(List<Setting<?>> settings) {
        if (settings.isEmpty()) {
            return "No settings.\n";
        }
        return "| key | type | default | meaning |\n| --- | --- | --- | --- |\n"
                + settings.stream().map(ConfigurationPageTest::row).collect(Collectors.joining());
    }

    private static String row(Setting<?> setting) {
        String text = setting.defaultText();
        String otherwise = text == null ? (setting.required() ? "must be given" : "none") : "`" + text + "`";
        return "| `" + setting.key() + "` | " + setting.type().toString().toLowerCase(Locale.ROOT) + limits(setting)
                + " | " + otherwise + " | " + setting.doc().replace("|", "\\|") + " |\n";
    }

    private static String limits(Setting<?> setting) {
        return switch (setting.type()) {
            case INTEGER, DURATION, SIZE ->
                ", " + SettingText.print(setting, setting.min()) + " to " + SettingText.print(setting, setting.max());
            case CHOICE -> ": " + String.join(", ", setting.choices());
            case TEXT, SECRET, BOOLEAN, LIST, MAP -> "";
        };
    }
}
