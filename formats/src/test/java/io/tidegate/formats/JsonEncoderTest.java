package io.tidegate.formats;

import static io.tidegate.formats.Example.ABSENT;
import static io.tidegate.formats.Example.NULL;
import static io.tidegate.formats.Example.UNCHANGED;
import static io.tidegate.formats.Example.bytes;
import static io.tidegate.formats.Example.change;
import static io.tidegate.formats.Example.line;
import static io.tidegate.formats.Example.number;
import static io.tidegate.formats.Example.row;
import static io.tidegate.formats.Example.table;
import static io.tidegate.formats.Example.text;
import static io.tidegate.formats.Example.value;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tidegate.formats.Example.Cell;
import io.tidegate.spi.Change;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.LogicalType;
import io.tidegate.spi.Op;
import io.tidegate.spi.TableSchema;
import io.tidegate.spi.TidegateException;
import io.tidegate.spi.ValueVisitor;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class JsonEncoderTest {

    private static final String HEAD =
            "\"ts\":1767323045678,\"source\":{\"schema\":\"s\",\"table\":\"t\",\"lsn\":\"0/\\\"1A\",\"xid\":7,\"snapshot\":false}";
    private static final TableSchema TABLE = table("s", "t", List.of(1, 0), "a", "b", "c");
    private static final TableSchema ONE = table("s", "t", List.of(), "v");

    private final JsonEncoder encoder = new JsonEncoder();
    private final ObjectMapper mapper = new ObjectMapper();

    private String encoded(Cell cell) {
        String line = line(encoder, change(Op.CREATE, ONE, null, row(cell)));
        String start = "{\"op\":\"c\"," + HEAD + ",\"key\":null,\"before\":null,\"after\":{\"v\":";
        assertThat(line).startsWith(start).endsWith("}}");
        return line.substring(start.length(), line.length() - 2);
    }

    @Test
    void writesTheFieldsOfAChangeInAFixedOrderAndTheKeyInKeyOrder() {
        assertThat(line(
                        encoder,
                        change(Op.UPDATE, TABLE, row(number(1), number(3), ABSENT), row(number(1), number(2), NULL))))
                .isEqualTo(
                        "{\"op\":\"u\"," + HEAD
                                + ",\"key\":{\"b\":2,\"a\":1},\"before\":{\"a\":1,\"b\":3},\"after\":{\"a\":1,\"b\":2,\"c\":null}}");
        assertThat(line(encoder, change(Op.DELETE, TABLE, row(number(1), number(2), ABSENT), null)))
                .isEqualTo("{\"op\":\"d\"," + HEAD
                        + ",\"key\":{\"b\":2,\"a\":1},\"before\":{\"a\":1,\"b\":2},\"after\":null}");
        assertThat(line(encoder, change(Op.TRUNCATE, TABLE, null, null)))
                .isEqualTo("{\"op\":\"t\"," + HEAD + ",\"key\":null,\"before\":null,\"after\":null}");
    }

    @Test
    void writesAMessageAsARowWithoutAKey() {
        TableSchema messages = table("pg_catalog", "pg_logical_emit_message", List.of(), "prefix", "content");
        Change message = change(
                Op.MESSAGE, messages, null, row(text("p"), value(v -> v.bytes(new byte[] {0, (byte) 0xff}, 0, 2))));
        assertThat(line(encoder, message))
                .startsWith("{\"op\":\"m\",")
                .endsWith("\"key\":null,\"before\":null,\"after\":{\"prefix\":\"p\",\"content\":\"AP8=\"}}");
        assertThat(line(new FlatEncoder(), message))
                .endsWith("\"_table\":\"pg_catalog.pg_logical_emit_message\",\"prefix\":\"p\",\"content\":\"AP8=\"}");
    }

    @Test
    void keepsNullAbsentAndUnchangedThreeThings() {
        assertThat(line(encoder, change(Op.UPDATE, TABLE, null, row(number(1), number(2), UNCHANGED))))
                .endsWith("\"after\":{\"a\":1,\"b\":2},\"unchanged\":[\"c\"]}");
        assertThat(line(encoder, change(Op.UPDATE, TABLE, null, row(number(1), number(2), ABSENT))))
                .endsWith("\"after\":{\"a\":1,\"b\":2}}");
        assertThat(line(encoder, change(Op.UPDATE, TABLE, null, row(number(1), number(2), NULL))))
                .endsWith("\"after\":{\"a\":1,\"b\":2,\"c\":null}}");
    }

    @Test
    void takesAKeyValueThatWasNotLoggedAgainFromTheRowBeforeAndElseRefusesTheChange() {
        Change held = change(Op.UPDATE, TABLE, row(number(8), number(9), ABSENT), row(UNCHANGED, number(2), NULL));
        assertThat(line(encoder, held)).contains("\"key\":{\"b\":2,\"a\":8}");
        Change lost = change(Op.UPDATE, TABLE, null, row(UNCHANGED, number(2), NULL));
        assertThatThrownBy(() -> line(encoder, lost))
                .isInstanceOfSatisfying(
                        TidegateException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.VALUE_UNREADABLE))
                .hasMessageContaining("column a of the key of s.t");
    }

    @Test
    void writesEachTypeAsDocumented() {
        assertThat(encoded(value(v -> v.bool(true)))).isEqualTo("true");
        assertThat(encoded(number(Long.MIN_VALUE))).isEqualTo("-9223372036854775808");
        assertThat(encoded(number(Long.MAX_VALUE))).isEqualTo("9223372036854775807");
        assertThat(encoded(number(0))).isEqualTo("0");
        assertThat(encoded(number(-10))).isEqualTo("-10");
        assertThat(encoded(bytes("18446744073709551615.10", ValueVisitor::decimal)))
                .isEqualTo("\"18446744073709551615.10\"");
        assertThat(encoded(bytes("NaN", ValueVisitor::decimal))).isEqualTo("\"NaN\"");
        assertThat(encoded(bytes("1.5e-7", ValueVisitor::floating))).isEqualTo("1.5e-7");
        assertThat(encoded(bytes("NaN", ValueVisitor::floating))).isEqualTo("\"NaN\"");
        assertThat(encoded(bytes("-Infinity", ValueVisitor::floating))).isEqualTo("\"-Infinity\"");
        assertThat(encoded(bytes("2026-01-02T03:04:05Z", (v, b, f, l) -> v.text(LogicalType.TIMESTAMP_ZONED, b, f, l))))
                .isEqualTo("\"2026-01-02T03:04:05Z\"");
        assertThat(encoded(bytes("(1,2)", ValueVisitor::other))).isEqualTo("\"(1,2)\"");
        assertThat(encoded(value(v -> {
                    v.beginArray();
                    v.beginArray();
                    v.int64(1);
                    v.nullElement();
                    v.endArray();
                    v.beginArray();
                    v.endArray();
                    v.endArray();
                })))
                .isEqualTo("[[1,null],[]]");
    }

    @Test
    void writesJsonToTheDigitInOneLineAndItsStringsUntouched() {
        String json = "{\"n\":\n 1.10e+0400,\t\"s\":\"a\\nb \\u0000\\\\\"\r\n}";
        assertThat(encoded(bytes(json, ValueVisitor::json)))
                .isEqualTo("{\"n\":  1.10e+0400, \"s\":\"a\\nb \\u0000\\\\\"  }");
    }

    @Test
    void tellsTheNullOfJsonFromTheNullOfTheDatabaseAlsoInsideArrays() {
        Cell jsonNull = bytes(" null\n", ValueVisitor::json);
        Cell array = value(v -> {
            v.beginArray();
            v.nullElement();
            v.beginArray();
            v.json(new byte[] {'"', 'n', '"'}, 0, 3);
            v.json(new byte[] {'n', 'u', 'l', 'l'}, 0, 4);
            v.endArray();
            v.json(new byte[] {'n', 'u', 'l', 'l'}, 0, 4);
            v.endArray();
        });
        assertThat(line(
                        encoder,
                        change(Op.UPDATE, TABLE, row(jsonNull, number(1), NULL), row(jsonNull, number(1), array))))
                .endsWith(
                        "\"before\":{\"a\": null ,\"b\":1,\"c\":null},\"after\":{\"a\": null ,\"b\":1,"
                                + "\"c\":[null,[\"n\",null],null]},"
                                + "\"json_null\":[[\"before\",\"a\"],[\"after\",\"a\"],[\"after\",\"c\",1,1],[\"after\",\"c\",2]]}");
        assertThat(line(encoder, change(Op.UPDATE, TABLE, null, row(number(1), number(1), NULL))))
                .as("said of this change only")
                .endsWith("\"c\":null}}");
    }

    @Test
    void writesBase64OfAnyLength() throws Exception {
        Random random = new Random(1);
        for (int length = 0; length < 70; length++) {
            byte[] raw = new byte[length];
            random.nextBytes(raw);
            assertThat(encoded(value(v -> v.bytes(raw, 0, raw.length))))
                    .isEqualTo('"' + Base64.getEncoder().encodeToString(raw) + '"');
        }
    }

    @Test
    void writesAnyTextInOneLineSoThatItReadsBackTheSameAlsoInNames() throws Exception {
        for (long seed = 0; seed < 3000; seed++) {
            Random random = new Random(seed);
            String text = randomText(random);
            String name = randomText(random);
            TableSchema odd = table(name, text, List.of(0), "k" + name, "v" + text);
            String line = line(encoder, change(Op.READ, odd, null, row(text(text), text(name))));
            assertThat(line.chars().filter(c -> c < 0x20)).as("seed %s", seed).isEmpty();
            JsonNode node = mapper.readTree(line);
            assertThat(node.at("/source/schema").textValue())
                    .as("seed %s", seed)
                    .isEqualTo(name);
            assertThat(node.at("/source/table").textValue()).as("seed %s", seed).isEqualTo(text);
            assertThat(node.get("key").get("k" + name).textValue())
                    .as("seed %s", seed)
                    .isEqualTo(text);
            assertThat(node.get("after").get("v" + text).textValue())
                    .as("seed %s", seed)
                    .isEqualTo(name);
        }
    }

    private static String randomText(Random random) {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(12); i > 0; i--) {
            switch (random.nextInt(5)) {
                case 0 -> text.append((char) random.nextInt(0x20));
                case 1 -> text.append("\"\\/.'\u2028\u007f".charAt(random.nextInt(7)));
                case 2 -> text.append((char) (0x20 + random.nextInt(0x2000)));
                case 3 -> text.appendCodePoint(0x10000 + random.nextInt(0xfffff));
                default -> text.append((char) ('a' + random.nextInt(26)));
            }
        }
        return text.toString();
    }

    @Test
    void givesTheTimeBeforeTheEpochAsItIs() {
        Change early = new Change(Op.READ, ONE, null, row(NULL), Example.origin(-1), 1);
        assertThat(line(encoder, early)).contains("\"ts\":-1,");
    }

    @Test
    void refusesARowThatGivesNoValueOrAnUnbalancedOne() {
        assertThatThrownBy(() -> encoded(value(v -> {}))).hasMessageContaining("was not visited");
        assertThatThrownBy(() -> encoded(value(ValueVisitor::beginArray))).hasMessageContaining("was not visited");
        assertThat(encoded(number(1))).isEqualTo("1");
    }

    @Test
    void remembersABoundedNumberOfTables() {
        SchemaCache<TableSchema> cache = new SchemaCache<>(schema -> schema);
        for (int i = 0; i < 3 * SchemaCache.TABLES_MAX; i++) {
            TableSchema schema = table("s", "t", List.of(), "v");
            assertThat(cache.of(schema)).isSameAs(schema);
            assertThat(cache.size()).isLessThanOrEqualTo(SchemaCache.TABLES_MAX);
        }
    }
}
