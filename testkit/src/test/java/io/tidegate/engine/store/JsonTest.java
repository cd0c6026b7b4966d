package io.tidegate.engine.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The JSON of state files, to the character. */
class JsonTest {

    private static JsonReader reader(String text) {
        return new JsonReader(text);
    }

    @Test
    void putsACommaBetweenAnyTwo() {
        JsonWriter out = new JsonWriter().beginArray();
        out.beginArray().endArray().beginArray().endArray();
        out.beginObject().endObject().beginObject().endObject();
        out.bool(true).bool(false).number(0).number(12).string("a").string(null);
        out.beginObject()
                .name("b")
                .number(1)
                .name("c")
                .beginArray()
                .endArray()
                .name("d")
                .bool(true)
                .endObject();
        assertThat(out.endArray().toString())
                .isEqualTo("[[],[],{},{},true,false,0,12,\"a\",null,{\"b\":1,\"c\":[],\"d\":true}]");
    }

    @Test
    void beginsALineBehindTheComma() {
        JsonWriter out = new JsonWriter().beginArray().line();
        assertThat(out.number(1).line().number(2).endArray().toString()).isEqualTo("[\n1,\n2]");
    }

    @ParameterizedTest
    @CsvSource({
        "0000, false", "001f, false", "0020, true", "007e, true", "007f, false", "0080, false", "009f, false",
        "00a0, true", "2027, true", "2028, false", "2029, false", "202a, true", "d7ff, true", "d800, false",
        "dbff, false", "dc00, false", "dfff, false", "e000, true", "ffff, true"
    })
    void writesWhatEndsNoLineAndIsWholeAsItIs(String hex, boolean plain) {
        String text = String.valueOf((char) Integer.parseInt(hex, 16));
        String written = new JsonWriter().string(text).toString();
        assertThat(written).isEqualTo(plain ? '"' + text + '"' : "\"\\u" + hex + '"');
        assertThat(reader(written).string()).isEqualTo(text);
    }

    @Test
    void writesBothHalvesOfAPairAsTheyAreAndAHalfAloneNot() {
        assertThat(new JsonWriter().string("\ud83c\udf0a").toString()).isEqualTo("\"\ud83c\udf0a\"");
        assertThat(new JsonWriter().string("\ud83c").toString()).isEqualTo("\"\\ud83c\"");
        assertThat(new JsonWriter().string("\ud83ca").toString()).isEqualTo("\"\\ud83ca\"");
        assertThat(new JsonWriter().string("\udf0a\ud83c").toString()).isEqualTo("\"\\udf0a\\ud83c\"");
    }

    @Test
    void readsEachEscape() {
        assertThat(reader("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\\u00fF\"").string())
                .isEqualTo("\"\\/\b\f\n\r\tA\u00ff");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"\\x\"",
                "\"\\u00g0\"",
                "\"\\u00\uff10\uff10\"",
                "\"\\u\u00800000\"",
                "\"a",
                "\"\u001f\"",
                "\"\\u12"
            })
    void refusesATextThatIsNone(String text) {
        assertThatThrownBy(() -> reader(text).string())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("expected");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "9", "10", "1234567890", "999999999999999999"})
    void readsWholeNumbersOfUpTo18Digits(String text) {
        JsonReader in = reader(text);
        assertThat(in.number()).isEqualTo(Long.parseLong(text));
        in.end();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-1", "/", ":", "01", "1000000000000000000", "x"})
    void refusesANumberThatIsNoWholeOne(String text) {
        assertThatThrownBy(() -> reader(text).number())
                .hasMessage("expected a whole number at character "
                        + text.replaceAll("[^0-9].*", "").length());
    }

    @ParameterizedTest
    @ValueSource(strings = {"1/", "1:"})
    void takesNoNeighbourOfADigitIntoANumber(String text) {
        JsonReader in = reader(text);
        assertThat(in.number()).isOne();
        assertThatThrownBy(in::end).hasMessage("expected the end at character 1");
    }

    @Test
    void wantsACommaBetweenAnyTwo() {
        assertThatThrownBy(() -> twice("[true true]", JsonReader::bool)).hasMessage("expected ',' at character 6");
        assertThatThrownBy(() -> twice("[1 2]", JsonReader::number)).hasMessage("expected ',' at character 3");
        assertThatThrownBy(() -> twice("[\"a\" \"b\"]", JsonReader::string)).hasMessage("expected ',' at character 5");
        assertThatThrownBy(() -> twice("[null null]", JsonReader::stringOrNull))
                .hasMessage("expected ',' at character 6");
        assertThatThrownBy(() -> twice("[[] []]", in -> {
                    in.beginArray();
                    in.more(']');
                }))
                .hasMessage("expected ',' at character 4");
        assertThatThrownBy(() -> twice("[{} {}]", in -> {
                    in.beginObject();
                    in.endObject();
                }))
                .hasMessage("expected ',' at character 4");
    }

    private interface Read {
        void from(JsonReader in);
    }

    private static void twice(String text, Read read) {
        JsonReader in = reader(text);
        in.beginArray();
        read.from(in);
        read.from(in);
    }

    @Test
    void takesSpaceAnywhereBetween() {
        JsonReader in = reader(" [ \t\r\n\"a\" , null , true , { \"n\" : 1 } ] ");
        in.beginArray();
        assertThat(in.stringOrNull()).isEqualTo("a");
        assertThat(in.stringOrNull()).isNull();
        assertThat(in.bool()).isTrue();
        assertThat(in.more(']')).isTrue();
        in.beginObject();
        in.name("n");
        assertThat(in.number()).isOne();
        in.endObject();
        assertThat(in.more(']')).isFalse();
        in.end();
    }

    @Test
    void refusesHalfAWord() {
        assertThatThrownBy(() -> reader("tru").bool()).hasMessage("expected true at character 0");
        assertThatThrownBy(() -> reader("nul").stringOrNull()).hasMessage("expected null at character 0");
        assertThatThrownBy(() -> reader("").bool()).hasMessage("expected false at character 0");
    }
}
