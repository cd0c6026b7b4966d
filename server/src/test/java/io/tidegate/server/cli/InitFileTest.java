package io.tidegate.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidegate.server.FakeConnectors;
import io.tidegate.server.config.ConfigLoader;
import io.tidegate.server.config.Connectors;
import io.tidegate.spi.Discovery;
import io.tidegate.spi.Discovery.Entry;
import io.tidegate.spi.Discovery.Table;
import io.tidegate.spi.Secret;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class InitFileTest {

    private static final List<String> NAMES = List.of(
            "public.orders",
            "public.1",
            "a.\"b: c #d\"",
            "a.\"it's\"",
            "- a.b",
            "a.\"${env:HOME}\"",
            "a.\"line\nend\r\t\\ \u2028 \u0085\"",
            "null.true",
            "!x.*y",
            "a.\"\uD83D\uDE00\"",
            "a.b ");

    @TempDir
    Path folder;

    private final FakeConnectors fakes = new FakeConnectors();

    @ParameterizedTest
    @EnumSource(InitSink.class)
    void namesOfAnyCharactersAreReadFromTheFileAsTheyWereFound(InitSink sink) throws Exception {
        List<Entry> entries = List.of(
                new Entry("host", "a$${b: #'\"", true),
                new Entry("password", "${env:SECRET}", true),
                new Entry("mode", "rough", false));
        List<Table> tables = NAMES.stream().map(name -> table(name, "")).toList();

        load(text(entries, tables, sink));

        assertThat(Objects.requireNonNull(fakes.settings).get(FakeConnectors.TABLES))
                .isEqualTo(NAMES);
        assertThat(fakes.settings.get(FakeConnectors.HOST)).isEqualTo("a${b: #'\"");
        assertThat(fakes.settings.get(FakeConnectors.PASSWORD)).isEqualTo(new Secret("p"));
        assertThat(fakes.settings.get(FakeConnectors.MODE)).as("only a comment").isEqualTo("calm");
    }

    @Test
    void whatCannotBeCapturedIsACommentWhateverItsNameIsAndWhatWasNotSelectedIsNotThere() throws Exception {
        List<Table> tables = List.of(
                table("public.orders", ""),
                table("public.\"a\nsink: {}\"", "a view"),
                new Table("public.other", false, 1, 1, "key id", "", ""));
        String text = text(List.of(new Entry("host", "h", true)), tables, InitSink.FILE);

        load(text);

        assertThat(Objects.requireNonNull(fakes.settings).get(FakeConnectors.TABLES))
                .containsExactly("public.orders");
        assertThat(text)
                .contains("# - public.\"a?sink: {}\"  a view; to mend it: MEND;")
                .doesNotContain("other");
    }

    @Test
    void sizesAreRoundedAndWhatIsNotKnownIsSaidToBeUnknown() {
        assertThat(InitFile.measures(new Table("t", true, -1, -1, "key id", "", "")))
                .isEqualTo("rows unknown, size unknown, key id");
        assertThat(InitFile.measures(new Table("t", true, 0, 1023, "key id", "", "")))
                .isEqualTo("about 0 rows, 1023 B, key id");
        assertThat(InitFile.measures(new Table("t", true, 7, 1536, "key id", "", "")))
                .isEqualTo("about 7 rows, 1.5 KiB, key id");
        assertThat(InitFile.measures(new Table("t", true, 7, 5L << 50, "key id", "", "")))
                .isEqualTo("about 7 rows, 5120 TiB, key id");
    }

    private static Table table(String name, String obstacle) {
        return new Table(name, true, 10, 8192, "key id", obstacle, obstacle.isEmpty() ? "" : "MEND;");
    }

    private static String text(List<Entry> entries, List<Table> tables, InitSink sink) {
        Discovery found = new Discovery("a sea\nof data", entries, "tables", tables, List.of(), List.of());
        return InitFile.text("a\nb.yaml", "orders", "ocean", found, sink);
    }

    private void load(String text) throws Exception {
        Path file = Files.writeString(folder.resolve("orders.yaml"), text);
        Connectors connectors = new Connectors(
                fakes.connectors().sources(), Connectors.onClassPath().sinks());
        new ConfigLoader(connectors, name -> "SECRET".equals(name) ? "p" : null).load(file);
    }
}
