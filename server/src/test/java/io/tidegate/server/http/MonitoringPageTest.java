package io.tidegate.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidegate.engine.PipelineStatus;
import io.tidegate.engine.session.Wait;
import io.tidegate.server.StatusSamples;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** Holds {@code docs/monitoring.md} and {@code docs/alerts.yml} to the code; with {@code -Dupdate.docs=true} it writes the table. */
class MonitoringPageTest {

    private static final Path DOCS = Path.of("..", "docs");
    private static final Path PAGE = DOCS.resolve("monitoring.md");
    private static final String BEGIN = "<!-- metrics -->\n";
    private static final String END = "<!-- end -->\n";
    private static final Pattern NAME = Pattern.compile("\\btidegate_\\w+");

    @Test
    void thePageHasARowForEveryMetricAndNoOther() throws IOException {
        String page = Files.readString(PAGE);
        String found = page.substring(page.indexOf(BEGIN) + BEGIN.length(), page.indexOf(END));
        String wanted = Arrays.stream(Metric.values())
                .map(metric ->
                        "| `" + metric.exposedName() + "` | " + metric.unit() + " | " + metric.meaning() + " |\n")
                .collect(Collectors.joining("", "| metric | unit | means |\n| --- | --- | --- |\n", ""));

        if (Boolean.getBoolean("update.docs")) {
            Files.writeString(PAGE, page.replace(BEGIN + found, BEGIN + wanted));
            return;
        }

        assertThat(found)
                .as("differs from the code: run this test with -Dupdate.docs=true")
                .isEqualTo(wanted);
    }

    @Test
    void thePageNamesEverythingThatASourceMeasuresAndNothingElse() throws IOException {
        Set<String> measured =
                new TreeSet<>(Set.of("frontier_position", "persisted_position", "acknowledged_position"));
        Pattern call = Pattern.compile("\\bmeasured\\(\\s*\"(\\w+)\"");
        try (Stream<Path> files = Files.walk(Path.of("..", "connectors"))) {
            for (Path file : files.filter(path -> path.toString().matches(".*/src/main/java/.*\\.java"))
                    .toList()) {
                call.matcher(Files.readString(file)).results().forEach(match -> measured.add(match.group(1)));
            }
        }
        assertThat(measured).contains("retained_bytes");

        assertThat(names(Files.readString(PAGE)).stream()
                        .filter(name -> name.startsWith(Metric.OF_SOURCE))
                        .map(name -> name.substring(Metric.OF_SOURCE.length())))
                .containsExactlyInAnyOrderElementsOf(measured);
    }

    @Test
    void thePageNamesEveryStateAndEveryKindOfStallWithItsLimit() throws IOException {
        String page = Files.readString(PAGE);
        for (PipelineStatus.State state : PipelineStatus.State.values()) {
            assertThat(page).contains("`" + state.toString().toLowerCase(Locale.ROOT) + "`");
        }
        String stalls = page.substring(page.indexOf("## Stalled"));
        List<Integer> limits = Pattern.compile("(?m)^\\| [^|]+ \\| (\\d+) s \\|")
                .matcher(stalls)
                .results()
                .map(match -> Integer.valueOf(match.group(1)))
                .toList();
        assertThat(limits)
                .containsExactlyElementsOf(Arrays.stream(Wait.Kind.values())
                        .map(kind -> (int) kind.limit().toSeconds())
                        .toList());
    }

    @Test
    void everyMetricInAnAlertExistsAndEveryAlertSaysWhatToDo() throws IOException {
        Set<String> exposed = exposed();
        List<String> alerts = new ArrayList<>();
        for (Map<?, ?> rule : rules()) {
            String expression = String.valueOf(rule.get("expr"));
            assertThat(names(expression)).as(expression).isNotEmpty();
            assertThat(exposed).as(expression).containsAll(names(expression));
            assertThat(String.valueOf(rule.get("for"))).as(expression).matches("\\d+[smh]");
            assertThat(rule.get("annotations"))
                    .as(expression)
                    .asInstanceOf(org.assertj.core.api.InstanceOfAssertFactories.MAP)
                    .containsKeys("summary", "description");
            alerts.add(String.valueOf(rule.get("alert")));
        }
        assertThat(new HashSet<>(alerts)).as("names").hasSameSizeAs(alerts);
        assertThat(Files.readString(PAGE)).contains(alerts);
    }

    @Test
    void everyStateAndCodeInAnAlertExists() throws IOException {
        Set<String> states = Arrays.stream(PipelineStatus.State.values())
                .map(StatusJson::name)
                .collect(Collectors.toSet());
        Set<String> used = new HashSet<>();
        for (Map<?, ?> rule : rules()) {
            Pattern.compile("state=~?\"([^\"]*)\"")
                    .matcher(String.valueOf(rule.get("expr")))
                    .results()
                    .forEach(match -> used.addAll(List.of(match.group(1).split("\\|"))));
        }
        assertThat(used).isNotEmpty();
        assertThat(states).containsAll(used);
    }

    private static List<Map<?, ?>> rules() throws IOException {
        Object document =
                new Load(LoadSettings.builder().build()).loadFromString(Files.readString(DOCS.resolve("alerts.yml")));
        List<Map<?, ?>> rules = new ArrayList<>();
        for (Object group : (List<?>) ((Map<?, ?>) document).get("groups")) {
            for (Object rule : (List<?>) ((Map<?, ?>) group).get("rules")) {
                rules.add((Map<?, ?>) rule);
            }
        }
        assertThat(rules).isNotEmpty();
        return rules;
    }

    /** With what the sample measures, which is what a source for which there is an alert measures. */
    private static Set<String> exposed() {
        return names(new Metrics().scrape(List.of(StatusSamples.of("orders", PipelineStatus.State.RUNNING))));
    }

    private static Set<String> names(String text) {
        return NAME.matcher(text).results().map(MatchResult::group).collect(Collectors.toSet());
    }
}
