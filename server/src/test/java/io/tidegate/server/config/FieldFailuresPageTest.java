package io.tidegate.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Holds {@code docs/field-failures.md} to the sources: a test that it names is there. */
class FieldFailuresPageTest {

    private static final Path ROOT = Path.of("..");
    private static final Path PAGE = ROOT.resolve("docs/field-failures.md");
    private static final Pattern METHOD = Pattern.compile(
            "@(?:Test|ParameterizedTest|TestFactory)\\b(?:\\s+@\\w+(?:\\([^)]*\\))?)*\\s+void (\\w+)\\(");
    private static final Pattern QUOTED = Pattern.compile("`([^`]*)`");

    /** A class, or one of its tests: its whole name, or the beginning of it and an ellipsis. */
    private static final Pattern REFERENCE = Pattern.compile("(\\w+)(?:\\.(\\w+)(…?))?");

    @Test
    void everyTestThatThePageNamesIsThere() throws IOException {
        Map<String, Set<String>> tests = tests();
        List<String> wrong = new ArrayList<>();
        List<String> rows = rows();
        for (String row : rows) {
            String[] cells = row.split(" \\| ", -1);
            if (cells.length != 3 || !cells[2].matches(".*[`\\[].*")) {
                wrong.add("names no test: " + row);
                continue;
            }
            Matcher quoted = QUOTED.matcher(cells[2]);
            while (quoted.find()) {
                if (!isThere(quoted.group(1), tests)) {
                    wrong.add(cells[0] + " names " + quoted.group(1));
                }
            }
        }
        assertThat(wrong).isEmpty();
        assertThat(rows).hasSizeGreaterThan(40);
    }

    private static boolean isThere(String name, Map<String, Set<String>> tests) {
        Matcher reference = REFERENCE.matcher(name);
        if (!reference.matches()) {
            return false;
        }
        Set<String> methods = tests.getOrDefault(reference.group(1), Set.of());
        String method = reference.group(2);
        if (method == null) {
            return !methods.isEmpty();
        }
        return reference.group(3).isEmpty()
                ? methods.contains(method)
                : methods.stream().anyMatch(one -> one.startsWith(method));
    }

    /** Rows of the page's first table, without its head; what is due has no test yet. */
    private static List<String> rows() throws IOException {
        String page = Files.readString(PAGE);
        return page.substring(0, page.indexOf("## Due"))
                .lines()
                .filter(line -> line.startsWith("| ") && !line.startsWith("| kind ") && !line.startsWith("| --- "))
                .toList();
    }

    /** The names of tests by the simple name of their class; two classes of one name count as one. */
    private static Map<String, Set<String>> tests() throws IOException {
        Map<String, Set<String>> tests = new HashMap<>();
        for (Path sources : testSources()) {
            try (Stream<Path> files = Files.walk(sources)) {
                for (Path file :
                        files.filter(f -> f.toString().endsWith(".java")).toList()) {
                    Set<String> methods = tests.computeIfAbsent(
                            file.getFileName().toString().replace(".java", ""), name -> new HashSet<>());
                    Matcher method = METHOD.matcher(Files.readString(file));
                    while (method.find()) {
                        methods.add(method.group(1));
                    }
                }
            }
        }
        return tests;
    }

    private static List<Path> testSources() throws IOException {
        List<Path> modules = new ArrayList<>();
        for (Path parent : List.of(ROOT, ROOT.resolve("connectors"))) {
            try (Stream<Path> children = Files.list(parent)) {
                modules.addAll(children.toList());
            }
        }
        return modules.stream()
                .map(module -> module.resolve("src/test/java"))
                .filter(Files::isDirectory)
                .toList();
    }
}
