package io.tidegate.connector.postgres.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidegate.connector.postgres.value.Seen;
import io.tidegate.spi.Row;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a column of each type gives when it comes through a real server's log, whatever the role's settings are. */
class TypesIT {

    /** By type and SQL value: what the visitor is told. */
    private static Map<String, String> cases() {
        Map<String, String> cases = new LinkedHashMap<>();
        cases.put("boolean|true", "bool:true");
        cases.put("bigint|-9223372036854775808", "int:-9223372036854775808");
        cases.put("oid|4294967295", "int:4294967295");
        cases.put("float8|0.1::float8 + 0.2::float8", "float:0.30000000000000004");
        cases.put("float4|'1e-07'", "float:1e-07");
        cases.put("float8|'-0'", "float:-0");
        cases.put("numeric|'NaN'", "decimal:NaN");
        cases.put("numeric|'-Infinity'", "decimal:-Infinity");
        cases.put("numeric(10,2)|-0.5", "decimal:-0.50");
        cases.put("char(4)|'ab'", "string:ab  ");
        cases.put("bytea|'\\x00ff'", "bytes:00ff");
        cases.put("date|'0044-03-15 BC'", "DATE:-0043-03-15");
        cases.put("date|'infinity'", "DATE:infinity");
        cases.put("time|'24:00:00'", "TIME:24:00:00");
        cases.put("timetz|'10:00:00.5+05:30:15'", "TIME:10:00:00.5+05:30:15");
        cases.put("timestamp|'294276-12-31 23:59:59.999999'", "TIMESTAMP:+294276-12-31T23:59:59.999999");
        cases.put("timestamptz|'1900-01-01 00:19:32+00:19:32'", "TIMESTAMP_ZONED:1900-01-01T00:00:00Z");
        cases.put("timestamptz|'0001-12-31 00:00:00+00 BC'", "TIMESTAMP_ZONED:0000-12-31T00:00:00Z");
        cases.put("interval|'1 year 2 mons -3 days 04:05:06.789'", "INTERVAL:P1Y2M-3DT4H5M6.789S");
        cases.put("json|'{\"a\" : 1.10}'", "json:{\"a\" : 1.10}");
        cases.put("jsonb|'null'", "json:null");
        cases.put("uuid|'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'", "UUID:a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11");
        cases.put("money|1234.5", "other:$1,234.50");
        cases.put("varbit|B'00101'", "other:00101");
        cases.put("inet|'10.0.0.1/8'", "other:10.0.0.1/8");
        cases.put("int4range|'[1,3]'", "other:[1,4)");
        cases.put("int[]|'{{1,2},{3,NULL}}'", "[[int:1 int:2] [int:3 null]]");
        cases.put("int[]|'[0:1]={1,2}'", "other:[0:1]={1,2}");
        cases.put("text[]|ARRAY['NULL',NULL,'','a\"b','e,f']", "[string:NULL null string: string:a\"b string:e,f]");
        cases.put("bytea[]|ARRAY['\\x00ff'::bytea]", "[bytes:00ff]");
        cases.put("box[]|'{(1,1),(0,0);(3,3),(2,2)}'", "[other:(1,1),(0,0) other:(3,3),(2,2)]");
        cases.put("int2vector|'1 2'", "other:1 2");
        cases.put("mood|'so so'", "string:so so");
        cases.put("mood[]|'{\"so so\"}'", "[string:so so]");
        cases.put("key2|7", "int:7");
        cases.put("list|'{1,NULL}'", "[int:1 null]");
        cases.put("pair|ROW(1,'x')", "other:(1,x)");
        cases.put("citext|'aB'", "string:aB");
        return cases;
    }

    @ParameterizedTest
    @ValueSource(ints = {14, 18})
    void givesWhatTheRowHoldsWhateverTheRolesSettingsAre(int version) throws Exception {
        Map<String, String> cases = cases();
        List<String> columns = new ArrayList<>();
        List<String> values = new ArrayList<>();
        for (String one : cases.keySet()) {
            columns.add("c" + columns.size() + " " + one.substring(0, one.indexOf('|')));
            values.add(one.substring(one.indexOf('|') + 1));
        }
        try (LogFixture db = new LogFixture(
                version,
                "CREATE EXTENSION citext",
                "CREATE TYPE mood AS ENUM ('so so')",
                "CREATE DOMAIN key1 AS bigint",
                "CREATE DOMAIN key2 AS key1",
                "CREATE DOMAIN list AS int[]",
                "CREATE TYPE pair AS (a int, b text)",
                "CREATE TABLE t (" + String.join(", ", columns) + ")")) {
            for (String setting : List.of(
                    "datestyle = 'SQL, DMY'",
                    "intervalstyle = 'postgres_verbose'",
                    "bytea_output = 'escape'",
                    "extra_float_digits = -5",
                    "timezone = 'Asia/Kolkata'")) {
                db.database.execute("ALTER DATABASE " + db.database.name() + " SET " + setting);
            }
            LogReader reader = db.reader();
            db.database.execute("SET timezone = 'UTC'; INSERT INTO t VALUES (" + String.join(", ", values) + ")");
            Row row = Objects.requireNonNull(
                    LogFixture.read(reader, 1).changes().get(0).after());
            int column = 0;
            for (Map.Entry<String, String> one : cases.entrySet()) {
                assertThat(Seen.of(row, column++)).as(one.getKey()).isEqualTo(one.getValue());
            }
            reader.close();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {17})
    void readsADroppedTypeAsOtherAndTheKeyWithoutIncludedColumns(int version) throws Exception {
        try (LogFixture db = new LogFixture(
                version,
                "CREATE TYPE mood AS ENUM ('sad')",
                "CREATE TABLE t (a int, m mood, b int, PRIMARY KEY (b) INCLUDE (a))",
                "ALTER TABLE t REPLICA IDENTITY FULL")) {
            LogReader reader = db.reader();
            db.database.execute("INSERT INTO t VALUES (1, 'sad', 2)", "ALTER TABLE t DROP COLUMN m", "DROP TYPE mood");
            TakenOutput out = LogFixture.read(reader, 1);
            assertThat(LogFixture.texts(out)).containsExactly("c public.t +int:1|other:sad|int:2");
            assertThat(out.changes().get(0).table().key()).containsExactly(2);
            reader.close();
        }
    }
}
