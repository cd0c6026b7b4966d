package io.tidegate.connector.postgres.value;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.LogicalType;
import io.tidegate.spi.TidegateException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.TimeZone;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ValueReadersTest {

    private static final int BOOL_ARRAY = 1000;
    private static final int INT4_ARRAY = 1007;
    private static final int TEXT_ARRAY = 1009;
    private static final int BYTEA_ARRAY = 1001;
    private static final int BOX_ARRAY = 1020;
    private static final int MOOD = 20001;
    private static final int KEY_DOMAIN = 20002;
    private static final int DOMAIN_OF_DOMAIN = 20003;
    private static final int LIST_DOMAIN = 20004;
    private static final int ARRAY_OF_DOMAIN = 20005;
    private static final int CITEXT = 20006;
    private static final int RANGE = 20007;
    private static final int GONE = 20099;

    private static final FixedTypes TYPES = new FixedTypes()
            .with(BOOL_ARRAY, "_bool", PgType.Kind.ARRAY, 16, ',')
            .with(INT4_ARRAY, "_int4", PgType.Kind.ARRAY, 23, ',')
            .with(TEXT_ARRAY, "_text", PgType.Kind.ARRAY, 25, ',')
            .with(BYTEA_ARRAY, "_bytea", PgType.Kind.ARRAY, 17, ',')
            .with(603, "box", PgType.Kind.BASE, 0, ';')
            .with(BOX_ARRAY, "_box", PgType.Kind.ARRAY, 603, ',')
            .with(MOOD, "mood", PgType.Kind.ENUM, 0, ',')
            .with(KEY_DOMAIN, "key", PgType.Kind.DOMAIN, 20, ',')
            .with(DOMAIN_OF_DOMAIN, "key2", PgType.Kind.DOMAIN, KEY_DOMAIN, ',')
            .with(LIST_DOMAIN, "list", PgType.Kind.DOMAIN, INT4_ARRAY, ',')
            .with(ARRAY_OF_DOMAIN, "_list", PgType.Kind.ARRAY, LIST_DOMAIN, ',')
            .with(CITEXT, "citext", PgType.Kind.BASE, 0, ',')
            .with(RANGE, "floatrange", PgType.Kind.OTHER, 0, ',');

    private static TextRow row(int type, String text) {
        TableShape table = TableShape.of(
                new RelationShape(
                        1, "public", "t", List.of(new RelationShape.ColumnShape("secret_name", type, -1)), List.of()),
                TYPES,
                1);
        byte[] data = ("<<" + text + ">>").getBytes(StandardCharsets.UTF_8);
        return table.row(data, new int[] {2}, new int[] {data.length - 4});
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            ignoreLeadingAndTrailingWhitespace = true,
            value = {
                "16 | t | bool:true",
                "16 | f | bool:false",
                "20 | -9223372036854775808 | int:-9223372036854775808",
                "20 | 9223372036854775807 | int:9223372036854775807",
                "21 | -32768 | int:-32768",
                "23 | 2147483647 | int:2147483647",
                "26 | 4294967295 | int:4294967295",
                "700 | 1e+20 | float:1e+20",
                "701 | 5e-324 | float:5e-324",
                "701 | -0 | float:-0",
                "701 | NaN | float:NaN",
                "701 | -Infinity | float:-Infinity",
                "701 | 0.30000000000000004 | float:0.30000000000000004",
                "1700 | NaN | decimal:NaN",
                "1700 | Infinity | decimal:Infinity",
                "1700 | -0.50 | decimal:-0.50",
                "1700 | 12345678901234567890123456789012345678.90 | decimal:12345678901234567890123456789012345678.90",
                "17 | \\x00fF10 | bytes:00ff10",
                "17 | \\x | bytes:",
                "25 | Ünï 😀 | string:Ünï 😀",
                "18 | a | string:a",
                "19 | n | string:n",
                "1042 | ab | string:ab",
                "1043 | ab | string:ab",
                "2950 | a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11 | UUID:a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
                "114 | null | json:null",
                "3802 | {\"a\": 1.10} | json:{\"a\": 1.10}",
                "1186 | P1Y2M-3DT-4H5M6.789S | INTERVAL:P1Y2M-3DT-4H5M6.789S",
                "790 | $1.00 | other:$1.00",
                "1560 | 00101 | other:00101",
                "869 | 10.0.0.1/8 | other:10.0.0.1/8",
            })
    void readsEachScalarAsTheRowHoldsIt(int type, String text, String seen) {
        assertThat(Seen.of(row(type, text), 0)).isEqualTo(seen);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "1082 | 2024-02-29 | DATE:2024-02-29",
                "1082 | 0001-01-01 | DATE:0001-01-01",
                "1082 | 0001-12-31 BC | DATE:0000-12-31",
                "1082 | 0044-03-15 BC | DATE:-0043-03-15",
                "1082 | 4713-01-01 BC | DATE:-4712-01-01",
                "1082 | 10000-01-01 | DATE:+10000-01-01",
                "1082 | 5874897-12-31 | DATE:+5874897-12-31",
                "1082 | infinity | DATE:infinity",
                "1082 | -infinity | DATE:-infinity",
                "1082 | 1582-10-10 | DATE:1582-10-10",
                "1083 | 24:00:00 | TIME:24:00:00",
                "1083 | 01:02:03.000001 | TIME:01:02:03.000001",
                "1266 | 10:00:00+00 | TIME:10:00:00Z",
                "1266 | 10:00:00.5+02 | TIME:10:00:00.5+02:00",
                "1266 | 10:00:00-05:30 | TIME:10:00:00-05:30",
                "1266 | 24:00:00+15:59:59 | TIME:24:00:00+15:59:59",
                "1114 | 2024-03-01 10:00:00 | TIMESTAMP:2024-03-01T10:00:00",
                "1114 | 294276-12-31 23:59:59.999999 | TIMESTAMP:+294276-12-31T23:59:59.999999",
                "1114 | 0044-03-15 12:00:00.5 BC | TIMESTAMP:-0043-03-15T12:00:00.5",
                "1114 | infinity | TIMESTAMP:infinity",
                "1184 | 2024-03-01 10:00:00+00 | TIMESTAMP_ZONED:2024-03-01T10:00:00Z",
                "1184 | 1900-01-01 00:19:32+00:19:32 | TIMESTAMP_ZONED:1900-01-01T00:00:00Z",
                "1184 | 2024-01-01 00:30:00.25+01 | TIMESTAMP_ZONED:2023-12-31T23:30:00.25Z",
                "1184 | 9999-12-31 23:30:00-01 | TIMESTAMP_ZONED:+10000-01-01T00:30:00Z",
                "1184 | 0001-12-31 23:59:59+00 BC | TIMESTAMP_ZONED:0000-12-31T23:59:59Z",
                "1184 | -infinity | TIMESTAMP_ZONED:-infinity",
            })
    void readsDatesAndTimesUnderAnyZoneAndLocale(int type, String text, String seen) {
        TimeZone zone = TimeZone.getDefault();
        Locale locale = Locale.getDefault();
        try {
            TimeZone.setDefault(TimeZone.getTimeZone("Europe/Amsterdam"));
            Locale.setDefault(Locale.forLanguageTag("th-TH-u-ca-buddhist-nu-thai"));
            assertThat(Seen.of(row(type, text), 0)).isEqualTo(seen);
        } finally {
            TimeZone.setDefault(zone);
            Locale.setDefault(locale);
        }
    }

    @Test
    void readsArraysWithNullsQuotesAndDimensions() {
        assertThat(Seen.of(row(TEXT_ARRAY, "{\"NULL\",NULL,\"\",\"a\\\"b\",\"c\\\\d\",\"e,f\",\"{x}\",\" pad \"}"), 0))
                .isEqualTo("[string:NULL null string: string:a\"b string:c\\d string:e,f string:{x} string: pad ]");
        assertThat(Seen.of(row(INT4_ARRAY, "{1,NULL,3}"), 0)).isEqualTo("[int:1 null int:3]");
        assertThat(Seen.of(row(INT4_ARRAY, "{}"), 0)).isEqualTo("[]");
        assertThat(Seen.of(row(INT4_ARRAY, "{{1,2},{3,NULL}}"), 0)).isEqualTo("[[int:1 int:2] [int:3 null]]");
        assertThat(Seen.of(row(BYTEA_ARRAY, "{\"\\\\x00ff\"}"), 0)).isEqualTo("[bytes:00ff]");
        assertThat(Seen.of(row(BOX_ARRAY, "{(1,1),(0,0);(3,3),(2,2)}"), 0))
                .isEqualTo("[other:(1,1),(0,0) other:(3,3),(2,2)]");
    }

    @Test
    void givesAnArrayWithOtherLowerBoundsAsTheServersText() {
        assertThat(Seen.of(row(INT4_ARRAY, "[0:1]={1,2}"), 0)).isEqualTo("other:[0:1]={1,2}");
    }

    @Test
    void readsDomainsByTheirBaseTypeHoweverDeep() {
        assertThat(Seen.of(row(DOMAIN_OF_DOMAIN, "7"), 0)).isEqualTo("int:7");
        assertThat(Seen.of(row(LIST_DOMAIN, "{1,2}"), 0)).isEqualTo("[int:1 int:2]");
        assertThat(Seen.of(row(ARRAY_OF_DOMAIN, "{\"{1,2}\",\"{3}\"}"), 0)).isEqualTo("[[int:1 int:2] [int:3]]");
    }

    @Test
    void readsUserTypesByWhatTheyAreMadeOf() {
        assertThat(Seen.of(row(MOOD, "so so"), 0)).isEqualTo("string:so so");
        assertThat(Seen.of(row(CITEXT, "aB"), 0)).isEqualTo("string:aB");
        assertThat(Seen.of(row(RANGE, "[1,2)"), 0)).isEqualTo("other:[1,2)");
    }

    @Test
    void readsADroppedTypeAsTheServersText() {
        assertThat(Seen.of(row(GONE, "x"), 0)).isEqualTo("other:x");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "16 | true",
                "20 | 9223372036854775808",
                "20 | -9223372036854775809",
                "20 | 1x",
                "20 | -",
                "20 | ''",
                "21 | 32768",
                "23 | -2147483649",
                "26 | -1",
                "26 | 4294967296",
                "701 | 1,5",
                "701 | .5",
                "701 | 1e",
                "1700 | 1e5",
                "1700 | 1.",
                "1700 | ''",
                "17 | abc",
                "17 | \\x0",
                "17 | \\x0g",
                "1082 | 01/02/2024",
                "1082 | 0000-01-01",
                "1082 | 2024-13-01",
                "1082 | 2024-01-01 AD",
                "1082 | 999-01-01",
                "1083 | 1:00:00",
                "1083 | 25:00:00",
                "1083 | 10:00:00+00",
                "1114 | 2024-03-01T10:00:00",
                "1114 | 2024-03-01 10:00:00+00",
                "1184 | 2024-03-01 10:00:00",
                "1184 | 2024-03-01 10:00:00 CET",
                "1184 | 2024-02-30 10:00:00+01",
                "1007 | {1",
                "1007 | 1}",
                "1007 | {1,}",
                "1007 | {1}x",
                "1009 | {\"a}",
                "1009 | {\"a\\",
                "1007 | {a}",
                "2950 | ''",
                "1186 | 1 day",
            })
    void refusesWhatItCannotReadAndNeverPrintsIt(int type, String text) {
        TextRow row = row(type, text);
        assertThatThrownBy(() -> row.visit(0, new Seen())).isInstanceOfSatisfying(TidegateException.class, e -> {
            assertThat(e.code()).isEqualTo(ErrorCode.VALUE_UNREADABLE);
            assertThat(e.getMessage()).contains("public.t", "secret_name");
            if (text.length() > 3) {
                assertThat(e.getMessage()).doesNotContain(text);
            }
        });
    }

    @Test
    void tellsNullUnchangedAndAbsentApart() {
        TableShape table = TableShape.of(
                new RelationShape(
                        1,
                        "public",
                        "t",
                        List.of(
                                new RelationShape.ColumnShape("a", 25, -1),
                                new RelationShape.ColumnShape("b", 25, -1),
                                new RelationShape.ColumnShape("c", 25, -1),
                                new RelationShape.ColumnShape("d", 25, -1)),
                        List.of(0)),
                TYPES,
                1);
        TextRow row =
                table.row(new byte[0], new int[4], new int[] {TextRow.NULL, TextRow.UNCHANGED, TextRow.ABSENT, 0});
        assertThat(List.of(Seen.of(row, 0), Seen.of(row, 1), Seen.of(row, 2), Seen.of(row, 3)))
                .containsExactly("NULL", "UNCHANGED", "ABSENT", "string:");
        assertThat(table.schema().columns().get(0).type()).isEqualTo(LogicalType.STRING);
    }
}
