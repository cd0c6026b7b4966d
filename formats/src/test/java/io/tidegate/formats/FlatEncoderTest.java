package io.tidegate.formats;

import static io.tidegate.formats.Example.ABSENT;
import static io.tidegate.formats.Example.NULL;
import static io.tidegate.formats.Example.UNCHANGED;
import static io.tidegate.formats.Example.change;
import static io.tidegate.formats.Example.line;
import static io.tidegate.formats.Example.number;
import static io.tidegate.formats.Example.row;
import static io.tidegate.formats.Example.table;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tidegate.spi.Op;
import io.tidegate.spi.TableSchema;
import io.tidegate.spi.ValueVisitor;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class FlatEncoderTest {

    private static final String TAIL = "\"_ts\":1767323045678,\"_position\":\"0/1A\",\"_table\":\"s.t\"";
    private static final TableSchema TABLE = table("s", "t", List.of(0), "a", "b");

    private final FlatEncoder encoder = new FlatEncoder();

    @Test
    void writesTheRowAndOfADeleteTheRowBefore() {
        assertThat(line(encoder, change(Op.CREATE, TABLE, null, row(number(1), NULL))))
                .isEqualTo("{\"_op\":\"c\"," + TAIL + ",\"a\":1,\"b\":null}");
        assertThat(line(encoder, change(Op.DELETE, TABLE, row(number(1), ABSENT), null)))
                .isEqualTo("{\"_op\":\"d\"," + TAIL + ",\"a\":1}");
        assertThat(line(encoder, change(Op.TRUNCATE, TABLE, null, null))).isEqualTo("{\"_op\":\"t\"," + TAIL + "}");
    }

    @Test
    void saysWhichColumnsAreUnchanged() {
        assertThat(line(encoder, change(Op.UPDATE, TABLE, null, row(number(1), UNCHANGED))))
                .isEqualTo("{\"_op\":\"u\"," + TAIL + ",\"a\":1,\"_unchanged\":[\"b\"]}");
    }

    @Test
    void tellsTheNullOfJsonFromTheNullOfTheDatabase() {
        Example.Cell jsonNull = Example.bytes("null", ValueVisitor::json);
        assertThat(line(encoder, change(Op.CREATE, TABLE, null, row(jsonNull, NULL))))
                .isEqualTo("{\"_op\":\"c\"," + TAIL + ",\"a\":null,\"b\":null,\"_json_null\":[[\"a\"]]}");
        assertThat(line(encoder, change(Op.CREATE, TABLE, null, row(number(1), NULL))))
                .isEqualTo("{\"_op\":\"c\"," + TAIL + ",\"a\":1,\"b\":null}");
    }

    @Test
    void saysUnderWhichKeyTheRowWasBeforeItsKeyChanged() {
        assertThat(line(encoder, change(Op.UPDATE, TABLE, row(number(1), ABSENT), row(number(2), NULL))))
                .isEqualTo("{\"_op\":\"u\"," + TAIL + ",\"_old_key\":{\"a\":1},\"a\":2,\"b\":null}");
        assertThat(line(encoder, change(Op.UPDATE, TABLE, row(number(2), number(3)), row(number(2), NULL))))
                .isEqualTo("{\"_op\":\"u\"," + TAIL + ",\"a\":2,\"b\":null}");
    }

    @Test
    void keepsColumnsApartFromItsOwnFieldsAndFromEachOther() {
        assertThat(Stream.of("_op", "__op", "op", "_ts", "_x", "_old_key", "___unchanged")
                        .map(FlatEncoder::fieldName))
                .containsExactly("__op", "___op", "op", "__ts", "_x", "__old_key", "____unchanged");
    }

    @Test
    void keepsTablesApartWhoseNamesHoldDotsAndQuotes() {
        List<TableSchema> tables = List.of(
                table("a.b", "c", List.of()),
                table("a", "b.c", List.of()),
                table("\"a", "b\".c", List.of()),
                table("a\".\"b", "c", List.of()),
                table("", "a", List.of()),
                table("public", "order", List.of()),
                table("public", "Order", List.of()));
        assertThat(tables.stream().map(FlatEncoder::tableName).distinct()).hasSize(tables.size());
        assertThat(FlatEncoder.tableName(tables.get(5))).isEqualTo("public.order");
        assertThat(FlatEncoder.tableName(table("My.Schema", "Or\"der né#1/2", List.of())))
                .isEqualTo("\"My.Schema\".\"Or\"\"der né#1/2\"");
    }

    @Test
    void formatsAreFoundByTheirNamesAndOthersRefused() {
        assertThat(Formats.names()).containsExactly("flat", "json");
        assertThat(Formats.encoder("json")).isInstanceOf(JsonEncoder.class);
        assertThat(Formats.encoder("flat")).isInstanceOf(FlatEncoder.class);
        assertThatThrownBy(() -> Formats.encoder("avro")).hasMessageContaining("[flat, json]");
    }
}
