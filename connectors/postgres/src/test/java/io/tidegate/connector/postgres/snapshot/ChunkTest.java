package io.tidegate.connector.postgres.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tidegate.testkit.property.Choices;
import io.tidegate.testkit.property.Property;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ChunkTest {

    private static final int TEXT_MAX = 40;

    @Test
    void everyChunkIsReadBackFromItsSpecWhateverItsTextsHold() {
        Property.checkCovering("chunk spec", 2_000, List.of("pages", "open", "empty", "text"), choices -> {
            Chunk chunk = new Chunk(choices.between(1L, 1L << 32), choices.between(1L, 1L << 32), range(choices));
            String spec = chunk.spec();
            assertThat(Chunk.parse(spec)).isEqualTo(chunk);
            assertThat(spec).matches("[\\x21-\\x7e]+( [\\x21-\\x7e]+)*"); // one line, whatever stores it
        });
    }

    private static Chunk.Range range(Choices choices) {
        if (choices.chance(4)) {
            choices.saw("pages");
            return new Chunk.Pages(choices.between(-1L, 1L << 32), choices.between(-1L, 1L << 32));
        }
        return new Chunk.Keys(
                "k" + choices.text(TEXT_MAX), "t" + choices.text(TEXT_MAX), bound(choices), bound(choices));
    }

    private static @Nullable String bound(Choices choices) {
        if (choices.chance(3)) {
            choices.saw("open");
            return null;
        }
        String text = choices.text(TEXT_MAX);
        choices.saw(text.isEmpty() ? "empty" : "text");
        return text;
    }

    @Test
    void aLongValueIsReadBackWithoutExhaustingTheStack() {
        Chunk chunk = new Chunk(1, 2, new Chunk.Keys("k", "text", "'\" ".repeat(100_000), null));
        assertThat(Chunk.parse(chunk.spec())).isEqualTo(chunk);
    }

    @Test
    void rangesOfPagesAreReadAsTheyWereStoredBeforeThereWereRangesOfKeys() {
        assertThat(Chunk.parse("table=16384 leaf=16390 from=-1 to=32768"))
                .isEqualTo(new Chunk(16384, 16390, new Chunk.Pages(-1, 32768)));
        assertThat(new Chunk(16384, 16390, new Chunk.Pages(32768, -1)).spec())
                .isEqualTo("table=16384 leaf=16390 from=32768 to=-1");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "log",
                "table=1 leaf=2 from=hunter2 to=-1",
                "table=1 leaf=2 key=id type=bigint ge=hunter2 lt=3 ",
                "table=1 leaf=2 key=id ge=hunter2",
                "table=1 leaf=2 key= type=bigint ge=hunter2",
                "table=1 leaf=2 key=id type=bigint ge=hunter2%",
                "table=1 leaf=2 key=id type=bigint lt=4 ge=hunter2"
            })
    void whatIsNoChunkIsRefusedWithoutShowingIt(String spec) {
        assertThatThrownBy(() -> Chunk.parse(spec))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("not a chunk")
                .hasNoCause();
    }

    @Test
    void aRangeOfKeysIsAnOrderedHalfOpenInterval() {
        assertThat(new Chunk.Keys("a\"b", "public.\"T\"", "it's", "c:\\d").condition())
                .isEqualTo("\"a\"\"b\" >= 'it''s'::public.\"T\" AND \"a\"\"b\" <  E'c:\\\\d'::public.\"T\"");
        assertThat(new Chunk.Keys("k", "bigint", null, "7").condition()).isEqualTo("\"k\" < '7'::bigint");
        assertThat(new Chunk.Keys("k", "bigint", "7", null).condition()).isEqualTo("\"k\" >= '7'::bigint");
    }

    @Test
    void aChunkThatIsPrintedShowsNoValueOfARow() {
        assertThat(new Chunk(1, 2, new Chunk.Keys("mail", "text", "hunter2", "swordfish")))
                .asString()
                .contains("mail", "text")
                .doesNotContain("hunter2", "swordfish");
    }
}
