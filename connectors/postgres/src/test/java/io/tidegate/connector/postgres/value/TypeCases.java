package io.tidegate.connector.postgres.value;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * A value of each type that a column can have, with what a visitor is told of it. Each type is there as an array's element as
 * well. The values lie in tables {@code t0}, {@code t1}, … of so many columns as a page takes, one row for each number.
 */
public final class TypeCases {

    private static final int COLUMNS_MAX = 90;

    /** For a type without a literal of its own: whatever the server prints. */
    private static final String SERVERS_TEXT = "?";

    /** Types of the server's own catalogues, which have no arrays, and domains over arrays, which ARRAY takes for arrays. */
    private static final Set<String> NO_ARRAYS = Set.of(
            "ints",
            "intss",
            "moods",
            "pg_node_tree",
            "pg_ndistinct",
            "pg_dependencies",
            "pg_mcv_list",
            "pg_brin_bloom_summary",
            "pg_brin_minmax_multi_summary");

    /**
     * One column.
     *
     * @param sql an expression that gives the value
     * @param seen the visitor's calls, as {@link Seen} writes them
     */
    public record Case(String type, String sql, String seen) {

        public boolean matches(String other) {
            return seen.equals(SERVERS_TEXT) ? other.contains("other:") : seen.equals(other);
        }
    }

    private final int version;
    private final List<Case> cases = new ArrayList<>();

    private TypeCases(int version) {
        this.version = version;
        numbers();
        texts();
        times();
        documents();
        systemTypes();
        geometry();
        ranges();
        informationSchema();
        arrays();
        ownTypes();
        extensions();
        elements();
    }

    /** Those that a server of this major version has. */
    public static TypeCases of(int version) {
        return new TypeCases(version);
    }

    public List<Case> all() {
        return List.copyOf(cases);
    }

    /** What is to be executed before any value is inserted. */
    public List<String> tables() {
        List<String> sql = new ArrayList<>(List.of(
                "CREATE EXTENSION citext",
                "CREATE EXTENSION hstore",
                "CREATE EXTENSION ltree",
                "CREATE EXTENSION cube",
                "CREATE EXTENSION seg",
                "CREATE EXTENSION isn",
                "CREATE EXTENSION intarray",
                "CREATE TYPE mood AS ENUM ('so so', 'gut – ok', 'null', 'a''b\"c')",
                "CREATE DOMAIN posint AS bigint CHECK (VALUE > 0)",
                "CREATE DOMAIN posint2 AS posint",
                "CREATE DOMAIN ints AS int[]",
                "CREATE DOMAIN intss AS ints[]",
                "CREATE DOMAIN moods AS mood[]",
                "CREATE DOMAIN kv AS hstore",
                "CREATE DOMAIN price AS numeric(10,2)",
                "CREATE TYPE pair AS (a int, b text)",
                "CREATE TYPE nested AS (p pair, ps pair[], t timestamptz, f float8, d bytea)",
                "CREATE DOMAIN somepair AS pair",
                "CREATE TYPE span AS RANGE (subtype = timestamptz, multirange_type_name = spans)",
                "CREATE TYPE floats AS RANGE (subtype = float8)"));
        for (int table = 0; table < tableCount(); table++) {
            StringBuilder columns = new StringBuilder("id int PRIMARY KEY");
            for (int i = table * COLUMNS_MAX; i < end(table); i++) {
                columns.append(", c").append(i).append(' ').append(cases.get(i).type());
            }
            sql.add("CREATE TABLE t" + table + " (" + columns + ")");
        }
        return sql;
    }

    /** Inserts the row of this number into each table; the session's time zone is to be UTC. */
    public List<String> inserts(int id) {
        List<String> sql = new ArrayList<>(List.of("SET timezone = 'UTC'", "SET datestyle = 'ISO, YMD'"));
        for (int table = 0; table < tableCount(); table++) {
            StringBuilder values = new StringBuilder(Integer.toString(id));
            for (int i = table * COLUMNS_MAX; i < end(table); i++) {
                values.append(", ").append(cases.get(i).sql());
            }
            sql.add("INSERT INTO t" + table + " VALUES (" + values + ")");
        }
        return sql;
    }

    public int tableCount() {
        return (cases.size() + COLUMNS_MAX - 1) / COLUMNS_MAX;
    }

    /** The cases in the columns of a table, behind {@code id}. */
    public List<Case> of(String table) {
        int number = Integer.parseInt(table.substring(1));
        return cases.subList(number * COLUMNS_MAX, end(number));
    }

    private int end(int table) {
        return Math.min((table + 1) * COLUMNS_MAX, cases.size());
    }

    private void is(String type, String sql, String seen) {
        cases.add(new Case(type, sql, seen));
    }

    /** Text that the server prints as it is given. */
    private void other(String type, String text) {
        is(type, "'" + text + "'", "other:" + text);
    }

    private void numbers() {
        is("boolean", "true", "bool:true");
        is("boolean", "false", "bool:false");
        is("smallint", "-32768", "int:-32768");
        is("integer", "2147483647", "int:2147483647");
        is("bigint", "-9223372036854775808", "int:-9223372036854775808");
        is("bigint", "9007199254740993", "int:9007199254740993");
        is("real", "'1e-07'", "float:1e-07");
        is("real", "'NaN'", "float:NaN");
        is("real", "16777217", "float:1.6777216e+07");
        is("double precision", "0.1::float8 + 0.2::float8", "float:0.30000000000000004");
        is("double precision", "'-0'", "float:-0");
        is("double precision", "'-Infinity'", "float:-Infinity");
        is("double precision", "5e-324", "float:5e-324");
        is("double precision", "1.7976931348623157e308", "float:1.7976931348623157e+308");
        is("numeric", "'NaN'", "decimal:NaN");
        is("numeric", "'Infinity'", "decimal:Infinity");
        is("numeric", "'-Infinity'", "decimal:-Infinity");
        is("numeric", "1.2300", "decimal:1.2300");
        is("numeric", "1e-30", "decimal:0.000000000000000000000000000001");
        is("numeric", "1e40", "decimal:1" + "0".repeat(40));
        String long30 = "12345678901234567890123456789012345678901234567890.123456789012345678901234567890";
        is("numeric", long30, "decimal:" + long30);
        is("numeric(10,2)", "-0.5", "decimal:-0.50");
        is("numeric(10,2)", "'NaN'", "decimal:NaN");
        if (version >= 15) {
            is("numeric(3,-2)", "12345", "decimal:12300");
            is("numeric(2,4)", "0.0012", "decimal:0.0012");
        }
        is("money", "1234.5", "other:$1,234.50");
        is("money", "'-92233720368547758.08'", "other:-$92,233,720,368,547,758.08");
        other("bit(5)", "00101");
        other("bit(1)", "0");
        other("varbit", "0001");
        other("varbit(9)", "");
    }

    private void texts() {
        is(
                "text",
                "E'tab\\there\\\\n \\\\N \\n é 漢 😀 İi \\r\\b\\f\\x0b\\x01'",
                "string:tab\there\\n \\N \n é 漢 😀 İi \r\b\f\u000b\u0001");
        is("text", "''", "string:");
        is("text", "'\\N'", "string:\\N");
        is("text", "'null'", "string:null");
        is("text", "NULL", "NULL");
        is("varchar(3)", "'ı  '", "string:ı  ");
        is("char(4)", "'ab'", "string:ab  ");
        is("name", "'n'", "string:n");
        is("\"char\"", "'c'", "string:c");
        is("\"char\"", "''", "string:");
        is("\"char\"", "(-128)::\"char\"", "string:\\200");
        is("\"char\"", "(-1)::\"char\"", "string:\\377");
        is("\"char\"[]", "ARRAY[(-128)::\"char\", 'c', NULL]", "[string:\\200 string:c null]");
        is("bytea", "'\\x00ff5c0a'", "bytes:00ff5c0a");
        is("bytea", "''", "bytes:");
        is("uuid", "'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'", "UUID:a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11");
    }

    private void times() {
        is("date", "'0044-03-15 BC'", "DATE:-0043-03-15");
        is("date", "'4714-11-24 BC'", "DATE:-4713-11-24");
        is("date", "'0001-12-31 BC'", "DATE:0000-12-31");
        is("date", "'0001-01-01'", "DATE:0001-01-01");
        is("date", "'1582-10-10'", "DATE:1582-10-10");
        is("date", "'20240-01-01'", "DATE:+20240-01-01");
        is("date", "'5874897-12-31'", "DATE:+5874897-12-31");
        is("date", "'infinity'", "DATE:infinity");
        is("date", "'-infinity'", "DATE:-infinity");
        is("time", "'24:00:00'", "TIME:24:00:00");
        is("time", "'00:00:00.000001'", "TIME:00:00:00.000001");
        is("time(0)", "'12:00:00.7'", "TIME:12:00:01");
        is("timetz", "'10:00:00.5+05:30:15'", "TIME:10:00:00.5+05:30:15");
        is("timetz", "'24:00:00+14'", "TIME:24:00:00+14:00");
        is("timetz", "'00:00-00:44:30'", "TIME:00:00:00-00:44:30");
        is("timetz", "'12:00+00'", "TIME:12:00:00Z");
        is("timetz", "'12:00-15:59:59'", "TIME:12:00:00-15:59:59");
        is("timestamp", "'294276-12-31 23:59:59.999999'", "TIMESTAMP:+294276-12-31T23:59:59.999999");
        is("timestamp", "'4713-12-31 23:59:59.999999 BC'", "TIMESTAMP:-4712-12-31T23:59:59.999999");
        is("timestamp", "'1500-02-28 12:00'", "TIMESTAMP:1500-02-28T12:00:00");
        is("timestamp", "'2024-03-10 02:30'", "TIMESTAMP:2024-03-10T02:30:00");
        is("timestamp", "'infinity'", "TIMESTAMP:infinity");
        is("timestamp(3)", "'2024-03-10 02:30:00.1'", "TIMESTAMP:2024-03-10T02:30:00.1");
        is("timestamptz", "'1900-01-01 00:19:32+00:19:32'", "TIMESTAMP_ZONED:1900-01-01T00:00:00Z");
        is("timestamptz", "'1883-11-17 12:00 America/New_York'", "TIMESTAMP_ZONED:1883-11-17T16:56:02Z");
        is("timestamptz", "'2024-03-10 02:30 America/New_York'", "TIMESTAMP_ZONED:2024-03-10T07:30:00Z");
        is("timestamptz", "'2025-04-30 06:07:08.090807+05:45'", "TIMESTAMP_ZONED:2025-04-30T00:22:08.090807Z");
        is("timestamptz", "'0001-12-31 00:00:00+00 BC'", "TIMESTAMP_ZONED:0000-12-31T00:00:00Z");
        is("timestamptz", "'294276-12-31 23:59:59.999999+00'", "TIMESTAMP_ZONED:+294276-12-31T23:59:59.999999Z");
        is("timestamptz", "'4714-11-24 00:00+00 BC'", "TIMESTAMP_ZONED:-4713-11-24T00:00:00Z");
        is("timestamptz", "'-infinity'", "TIMESTAMP_ZONED:-infinity");
        is("interval", "'1 year 2 mons -3 days 04:05:06.789'", "INTERVAL:P1Y2M-3DT4H5M6.789S");
        is("interval", "'0'", "INTERVAL:PT0S");
        is("interval", "'-178000000 years'", "INTERVAL:P-178000000Y");
        is("interval", "'-0.000001 s'", "INTERVAL:PT-0.000001S");
        if (version >= 17) {
            is("interval", "'infinity'", "INTERVAL:infinity");
            is("interval", "'-infinity'", "INTERVAL:-infinity");
        }
    }

    private void documents() {
        is("json", "'{\"a\" : 1.10, \"a\":1E+400, \"b\": [ ]}'", "json:{\"a\" : 1.10, \"a\":1E+400, \"b\": [ ]}");
        is("json", "E'{\\n\\t\"a\":\"\\\\u0000\"}'", "json:{\n\t\"a\":\"\\u0000\"}");
        is("json", "'12345678901234567890.12345678901234567890'", "json:12345678901234567890.12345678901234567890");
        is("json", "' null '", "json: null ");
        is("jsonb", "'null'", "json:null");
        is("jsonb", "'\"null\"'", "json:\"null\"");
        is("jsonb", "'{\"a\":1.10,\"b\":1e40,\"a\":-0.0}'", "json:{\"a\": 0.0, \"b\": 1" + "0".repeat(40) + "}");
        is("jsonpath", "'$.a[*]?(@ > 1)'", "other:$.\"a\"[*]?(@ > 1)");
        is("xml", "'<?xml version=\"1.0\"?><a>é &lt;</a>'", "other:<a>é &lt;</a>");
        is("xml", "'text <b/> only'", "other:text <b/> only");
        is("tsvector", "'a:1A fat:2B,4C ''it''''s'''", "other:'a':1A 'fat':2B,4C 'it''s'");
        is("tsquery", "'fat & (rat | !cat:*AB)'", "other:'fat' & ( 'rat' | !'cat':*AB )");
    }

    private void systemTypes() {
        is("oid", "4294967295", "int:4294967295");
        other("tid", "(4294967295,1)");
        other("xid", "4294967295");
        other("xid8", "18446744073709551615");
        other("cid", "7");
        other("pg_lsn", "FFFFFFFF/FFFFFFFF");
        other("pg_snapshot", "10:20:10,14,15");
        other("txid_snapshot", "10:20:10,14,15");
        other("int2vector", "1 -2");
        other("oidvector", "1 4294967295");
        other("refcursor", "a \"b\" c");
        is("aclitem", "'postgres=r/postgres'", "other:postgres=r/postgres");
        is("regclass", "'pg_class'", "other:pg_class");
        is("regclass", "'public.t0'", "other:public.t0");
        is("regclass", "'0'", "other:-");
        is("regproc", "'now'", "other:now");
        is("regprocedure", "'now()'", "other:now()");
        is("regoper", "'||/'", "other:||/");
        is("regoperator", "'+(integer,integer)'", "other:+(integer,integer)");
        is("regtype", "'public.mood'", "other:public.mood");
        is("regtype", "'integer'", "other:integer");
        is("regrole", "'postgres'", "other:postgres");
        is("regnamespace", "'pg_catalog'", "other:pg_catalog");
        is("regcollation", "'\"C\"'", "other:\"C\"");
        is("regconfig", "'simple'", "other:simple");
        is("regdictionary", "'simple'", "other:simple");
        is("inet", "'10.0.0.1/8'", "other:10.0.0.1/8");
        is("inet", "'::1'", "other:::1");
        is("cidr", "'10.0.0.0/8'", "other:10.0.0.0/8");
        is("macaddr", "'08-00-2B-01-02-03'", "other:08:00:2b:01:02:03");
        is("macaddr8", "'08002b0102030405'", "other:08:00:2b:01:02:03:04:05");
        is("pg_node_tree", "(SELECT ev_qual FROM pg_rewrite ORDER BY oid LIMIT 1)", SERVERS_TEXT);
        is("pg_ndistinct", "NULL", "NULL");
        is("pg_dependencies", "NULL", "NULL");
        is("pg_mcv_list", "NULL", "NULL");
        is("pg_brin_bloom_summary", "NULL", "NULL");
        is("pg_brin_minmax_multi_summary", "NULL", "NULL");
        is("gtsvector", "NULL", "NULL");
    }

    private void geometry() {
        other("point", "(0.1,-0)");
        other("lseg", "[(0,0),(1,1)]");
        other("path", "((0,0),(1,1))");
        other("path", "[(0,0),(NaN,Infinity)]");
        other("box", "(1,1),(0,0)");
        other("polygon", "((0,0),(1,1),(1,0))");
        other("line", "{1,2,3}");
        other("circle", "<(0,0),1e-300>");
    }

    private void ranges() {
        is("int4range", "'[1,3]'", "other:[1,4)");
        is("int8range", "'(,)'", "other:(,)");
        other("numrange", "[1.10,)");
        is("tsrange", "'[2024-01-01,infinity]'", "other:[\"2024-01-01 00:00:00\",infinity]");
        is("tstzrange", "'[2024-01-01 00:00+05:45,)'", "other:[\"2023-12-31 18:15:00+00\",)");
        is("daterange", "'[0044-03-15 BC,2024-01-01]'", "other:[\"0044-03-15 BC\",2024-01-02)");
        other("daterange", "empty");
        is("int4multirange", "'{[1,3],[3,5]}'", "other:{[1,6)}");
        is("int8multirange", "'{}'", "other:{}");
        other("nummultirange", "{[1.10,2),(3,)}");
        is("tsmultirange", "'{[2024-01-01,2024-01-02]}'", "other:{[\"2024-01-01 00:00:00\",\"2024-01-02 00:00:00\"]}");
        is("tstzmultirange", "'{(,2024-01-01 00:00+00)}'", "other:{(,\"2024-01-01 00:00:00+00\")}");
        is("datemultirange", "'{[2024-01-01,2024-01-02]}'", "other:{[2024-01-01,2024-01-03)}");
    }

    private void informationSchema() {
        is("information_schema.cardinal_number", "7", "int:7");
        is("information_schema.character_data", "'a'", "string:a");
        is("information_schema.sql_identifier", "'a'", "string:a");
        is(
                "information_schema.time_stamp",
                "'2024-03-10 02:30:00.129 America/New_York'",
                "TIMESTAMP_ZONED:2024-03-10T07:30:00.13Z");
        is("information_schema.yes_or_no", "'YES'", "string:YES");
    }

    private void arrays() {
        is("int[]", "'{{1,2},{3,NULL}}'", "[[int:1 int:2] [int:3 null]]");
        is("int[]", "'{{{1}},{{2}}}'", "[[[int:1]] [[int:2]]]");
        is("int[]", "'[0:1]={1,2}'", "other:[0:1]={1,2}");
        is("int[]", "'[1:1][-2:-1]={{1,2}}'", "other:[1:1][-2:-1]={{1,2}}");
        is("int[]", "'{}'", "[]");
        is("int[]", "NULL", "NULL");
        is(
                "text[]",
                "ARRAY['NULL',NULL,'','a\"b','c\\d','e,f','{x}',' pad ', E'\\n', 'null', 'nüll', '[0:1]']",
                "[string:NULL null string: string:a\"b string:c\\d string:e,f string:{x} string: pad  string:\n"
                        + " string:null string:nüll string:[0:1]]");
        is("text[]", "'{null,NULL,\"null\"}'", "[null null string:null]");
        is("text[][]", "'{{a,\"b c\"},{\"\",\"nüll\\\\\\\"\"}}'", "[[string:a string:b c] [string: string:nüll\\\"]]");
        is("box[]", "'{(1,1),(0,0);(3,3),(2,2)}'", "[other:(1,1),(0,0) other:(3,3),(2,2)]");
        is("numeric(4,1)[]", "'{NaN,1.25}'", "[decimal:NaN decimal:1.3]");
        is("jsonb[]", "ARRAY['{\"a,b\":\"\\\"\"}'::jsonb, 'null', NULL]", "[json:{\"a,b\": \"\\\"\"} json:null null]");
        is(
                "timestamptz[]",
                "ARRAY['infinity','1883-11-18 12:03:57+00'::timestamptz]",
                "[TIMESTAMP_ZONED:infinity TIMESTAMP_ZONED:1883-11-18T12:03:57Z]");
    }

    private void ownTypes() {
        is("mood", "'a''b\"c'", "string:a'b\"c");
        is("mood[]", "'{\"so so\",\"null\",NULL,\"gut – ok\"}'", "[string:so so string:null null string:gut – ok]");
        is("posint2", "9223372036854775807", "int:9223372036854775807");
        is("price", "1", "decimal:1.00");
        is("ints", "'{1,NULL}'", "[int:1 null]");
        is("intss", "'{\"{1,2}\",\"{}\",NULL,\"[0:0]={7}\"}'", "[[int:1 int:2] [] null other:[0:0]={7}]");
        is("moods", "'{\"gut – ok\"}'", "[string:gut – ok]");
        is("pair", "ROW(1,'x y')", "other:(1,\"x y\")");
        is("pair", "ROW(NULL,'')", "other:(,\"\")");
        is("somepair", "ROW(1,NULL)", "other:(1,)");
        is(
                "nested",
                "ROW(ROW(1,'q\"'), ARRAY[ROW(NULL,NULL)::pair], '2024-01-01 00:00+05:45', 0.1::float8 + 0.2::float8, '\\x00')",
                "other:(\"(1,\"\"q\"\"\"\"\"\")\",\"{\"\"(,)\"\"}\",\"2023-12-31 18:15:00+00\",0.30000000000000004,\"\\\\x00\")");
        is("span", "'[2024-01-01 00:00+01,)'", "other:[\"2023-12-31 23:00:00+00\",)");
        is("spans", "'{}'", "other:{}");
        is("floats", "'[0.1,1e300)'", "other:[0.1,1e+300)");
        is("pg_namespace", "NULL", "NULL");
    }

    private void extensions() {
        is("citext", "'aB'", "string:aB");
        is("hstore", "'a=>NULL,\"b c\"=>\"d\\\"e\"'", "other:\"a\"=>NULL, \"b c\"=>\"d\\\"e\"");
        is("kv", "'a=>NULL'", "other:\"a\"=>NULL");
        other("ltree", "a.b_1.C");
        other("lquery", "a.*{1,2}.b*|c@");
        is("ltxtquery", "'a&b*'", "other:a & b*");
        is("cube", "'(0,1.5),(2,3)'", "other:(0, 1.5),(2, 3)");
        is("seg", "'1.50(+-)0.10'", "other:1.40 .. 1.60");
        is("ean13", "'978-0-393-04002-9'", "other:978-0-393-04002-9");
        is("query_int", "'1&(2|!3)'", "other:1 & ( 2 | !3 )");
    }

    /** Each type once as an element, with a null beside it. */
    private void elements() {
        Set<String> types = new LinkedHashSet<>();
        for (Case one : List.copyOf(cases)) {
            if (!one.type().endsWith("[]") && !NO_ARRAYS.contains(one.type()) && types.add(one.type())) {
                boolean empty = one.seen().equals("NULL");
                String sql = empty ? "'{NULL}'" : "ARRAY[(" + one.sql() + ")::" + one.type() + ", NULL]";
                String seen = one.seen().equals(SERVERS_TEXT) ? SERVERS_TEXT : "[" + one.seen() + " null]";
                is(one.type() + "[]", sql, empty ? "[null]" : seen);
            }
        }
    }
}
