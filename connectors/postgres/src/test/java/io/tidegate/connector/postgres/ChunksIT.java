package io.tidegate.connector.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.SourceSession;
import io.tidegate.spi.SplitPlan;
import io.tidegate.spi.SplitState;
import io.tidegate.spi.TidegateException;
import io.tidegate.testkit.await.Await;
import io.tidegate.testkit.postgres.SharedPostgres;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rule 7: whatever a table is cut by, all chunks together are its rows. */
class ChunksIT {

    private static final int ROWS = 600;
    private static final Duration LIMIT = Duration.ofSeconds(20);
    private static final Pattern NUMBER = Pattern.compile("r .*? n=([0-9]+) .*", Pattern.DOTALL);

    /** A letter of each sort that collations, quoting or COPY treat in their own way, before a number. */
    private static final String ODD =
            "(ARRAY['a', 'A', 'ä', 'ß', '''', '\"', E'\\\\', E'\\n', E'\\t', ' ', '-', '%', '+',"
                    + " '漢', '😀', '?', '{', '$1'])[1 + g % 18] || g";

    /** The specs of the chunks of each schema's table, after every row of each was seen exactly once. */
    private static Map<String, List<String>> read(SharedPostgres.Database db) throws Exception {
        SourceLoop loop = new SourceLoop(Sources.of(db, "snapshot", "only", "snapshot_chunk", "16KiB"));
        try (SourceSession session = loop.open()) {
            loop.prepare(session);
            loop.readSnapshot(session);
        }
        Map<String, List<Integer>> seen = new TreeMap<>();
        for (int i = 0; i < loop.taken.size(); i++) {
            Matcher number = NUMBER.matcher(loop.changes.get(i));
            assertThat(number.matches()).as(loop.changes.get(i)).isTrue();
            seen.computeIfAbsent(loop.taken.get(i).table().namespace(), schema -> new ArrayList<>())
                    .add(Integer.parseInt(number.group(1)));
        }
        Map<String, List<String>> specs = new TreeMap<>();
        for (String table : db.query("SELECT relnamespace::regnamespace || ' ' || oid FROM pg_class"
                + " WHERE relkind IN ('r', 'p') AND NOT relispartition AND oid >= 16384")) {
            String[] parts = table.split(" ", -1);
            String start = "table=" + parts[1] + " ";
            specs.put(
                    parts[0],
                    loop.durable.splits().stream()
                            .map(split -> split.plan().spec())
                            .filter(spec -> spec.startsWith(start))
                            .toList());
        }
        assertThat(seen.keySet()).isEqualTo(specs.keySet());
        List<Integer> rows = IntStream.rangeClosed(1, ROWS).boxed().toList();
        seen.forEach((schema, numbers) -> assertThat(numbers).as(schema).containsExactlyInAnyOrderElementsOf(rows));
        assertThat(specs.values()).allSatisfy(chunks -> assertThat(chunks).hasSizeGreaterThan(5));
        return specs;
    }

    /** A table whose rows lie in the order of its key, {@code k}. */
    private static void ordered(SharedPostgres.Database db, String schema, String type, String value) throws Exception {
        db.execute(
                "CREATE SCHEMA IF NOT EXISTS " + schema,
                "SET search_path = " + schema,
                "CREATE TABLE t (n int, k " + type + ", pad text, PRIMARY KEY (k, n))",
                "INSERT INTO t SELECT g, v, repeat('x', 300) FROM (SELECT g, (" + value + ")::" + type
                        + " AS v FROM generate_series(1, " + ROWS + ") g) rows ORDER BY v, g",
                "ANALYZE t");
    }

    private record KeyType(String name, String value) {}

    private static final List<KeyType> TYPES = List.of(
            new KeyType("bigint", "g * 10000000000 - 3000000000000"),
            new KeyType("smallint", "g - 300"),
            new KeyType("numeric", "CASE g WHEN 1 THEN 'NaN' WHEN 2 THEN '-0.00' ELSE g::numeric / 7 END"),
            new KeyType("numeric(6, 2)", "g::numeric / 7"),
            new KeyType(
                    "double precision", "CASE WHEN g < 150 THEN 'NaN' WHEN g < 300 THEN '-Infinity' ELSE g / 3e0 END"),
            new KeyType("uuid", "'01890a5d-ac96-7' || lpad(to_hex(g), 3, '0') || '-b9ba-000000000000'"),
            new KeyType(
                    "timestamptz",
                    "CASE WHEN g < 150 THEN 'infinity' WHEN g < 300 THEN '-infinity'"
                            + " ELSE '0044-03-15 12:00+01 BC'::timestamptz + g * interval '2 years 1.000001 s' END"),
            new KeyType("date", "'1999-12-01'::date + g"),
            new KeyType("interval", "g * interval '1 day 1.5 s'"),
            new KeyType("bytea", "convert_to(" + ODD + ", 'UTF8')"),
            new KeyType("inet", "('10.0.' || g / 250 || '.' || g % 250 || '/16')"),
            new KeyType("money", "g::money"),
            new KeyType("text", ODD),
            new KeyType("text COLLATE \"C\"", ODD),
            new KeyType("varchar(20) COLLATE \"und-x-icu\"", ODD),
            new KeyType("char(20)", ODD),
            new KeyType("name", "(" + ODD + ")::text"),
            new KeyType("text[]", "ARRAY[" + ODD + ", NULL, 'x,y']"),
            new KeyType("bit(12)", "g::bit(12)"),
            new KeyType("public.\"Mood, or\"", "'it''s ' || lpad((g / 5)::text, 3, '0')"),
            new KeyType("public.short_text", ODD));

    @ParameterizedTest
    @ValueSource(ints = {14, 18})
    void keyRangesHoldEveryRowOnceInTheOrderOfTheirType(int version) throws Exception {
        try (SharedPostgres.Database db = SharedPostgres.version(version).fresh()) {
            String labels = IntStream.rangeClosed(0, ROWS / 5)
                    .mapToObj(i -> String.format(Locale.ROOT, "'it''s %03d'", ROWS / 5 - i))
                    .collect(Collectors.joining(", "));
            db.execute(
                    "CREATE TYPE \"Mood, or\" AS ENUM (" + labels + ")",
                    "CREATE DOMAIN short_text AS text COLLATE \"C\" CHECK (length(VALUE) < 30)");
            // the oldest version is asked for the types whose order depends on a collation, and some more
            List<KeyType> types = version == 14 ? TYPES.subList(TYPES.size() / 2, TYPES.size()) : TYPES;
            for (int i = 0; i < types.size(); i++) {
                ordered(db, "s" + i, types.get(i).name(), types.get(i).value());
            }
            Map<String, List<String>> specs = read(db);
            for (int i = 0; i < types.size(); i++) {
                assertThat(specs.get("s" + i))
                        .as(types.get(i).name())
                        .isNotEmpty()
                        .allMatch(spec -> spec.contains(" key=k type="));
            }
        }
    }

    private record Layout(String what, boolean byKey, List<String> sql) {}

    private static String rows(String columns, String values) {
        return "INSERT INTO t (n, pad, " + columns + ") SELECT g, repeat('x', 300), " + values
                + " FROM generate_series(1, " + ROWS + ") g";
    }

    private static final List<Layout> LAYOUTS = List.of(
            new Layout(
                    "the first column of the index, not of the table",
                    true,
                    List.of(
                            "CREATE TABLE t (n int, pad text, a int, b int, PRIMARY KEY (b, a))",
                            rows("a, b", "hashint4(g), g / 2"),
                            "ANALYZE t")),
            new Layout(
                    "an index of replica identity",
                    true,
                    List.of(
                            "CREATE TABLE t (n int, pad text, a uuid PRIMARY KEY, b int NOT NULL)",
                            "CREATE UNIQUE INDEX t_b ON t (b DESC)",
                            "ALTER TABLE t REPLICA IDENTITY USING INDEX t_b",
                            rows("a, b", "gen_random_uuid(), g"),
                            "ANALYZE t")),
            new Layout(
                    "the primary key under replica identity full",
                    true,
                    List.of(
                            "CREATE TABLE t (n int PRIMARY KEY, pad text, a int)",
                            "ALTER TABLE t REPLICA IDENTITY FULL",
                            rows("a", "1"),
                            "ANALYZE t")),
            new Layout(
                    "partitions with columns in other places",
                    true,
                    List.of(
                            "CREATE TABLE t (n int, pad text, k int PRIMARY KEY) PARTITION BY RANGE (k)",
                            "CREATE TABLE t1 (gone int, k int NOT NULL, pad text, n int)",
                            "ALTER TABLE t1 DROP COLUMN gone",
                            "ALTER TABLE t ATTACH PARTITION t1 FOR VALUES FROM (0) TO (250)",
                            "CREATE TABLE t2 PARTITION OF t FOR VALUES FROM (250) TO (10000)",
                            rows("k", "g"),
                            "ANALYZE t")),
            new Layout(
                    "names that need quotes, old versions of rows and empty pages",
                    true,
                    List.of(
                            "CREATE TABLE \"{d.'?'}\" (n int, pad text, \"k\"\"?$1 '%s'\\\" int PRIMARY KEY)",
                            "INSERT INTO \"{d.'?'}\" SELECT g, repeat('x', 300), g"
                                    + " FROM generate_series(1, 1600) g",
                            "DELETE FROM \"{d.'?'}\" WHERE n > " + ROWS,
                            "UPDATE \"{d.'?'}\" SET pad = pad || 'y' WHERE n % 70 = 0",
                            "ANALYZE \"{d.'?'}\"")),
            new Layout(
                    "keys that come in no order",
                    false,
                    List.of(
                            "CREATE TABLE t (n int, pad text, k uuid PRIMARY KEY)",
                            rows("k", "gen_random_uuid()"),
                            "ANALYZE t")),
            new Layout(
                    "no statistics",
                    false,
                    List.of(
                            "CREATE TABLE t (n int PRIMARY KEY, pad text, k int) WITH (autovacuum_enabled = false)",
                            rows("k", "g"))),
            new Layout(
                    "no key",
                    false,
                    List.of("CREATE TABLE t (n int UNIQUE NOT NULL, pad text, k int)", rows("k", "g"), "ANALYZE t")),
            new Layout(
                    "few values in the leading column",
                    false,
                    List.of(
                            "CREATE TABLE t (n int, pad text, k int, PRIMARY KEY (k, n))",
                            rows("k", "g / 300"),
                            "ANALYZE t")),
            new Layout(
                    "an operator that is not the server's own",
                    false,
                    List.of(
                            "CREATE EXTENSION citext",
                            "CREATE TABLE t (n int, pad text, k citext PRIMARY KEY)",
                            rows("k", "chr(65 + g / 30) || lpad(g::text, 4, '0')"),
                            "ANALYZE t")),
            new Layout(
                    "an index in another order than the column's",
                    false,
                    List.of(
                            "CREATE TABLE t (n int, pad text, k text COLLATE \"C\" NOT NULL)",
                            "CREATE UNIQUE INDEX t_k ON t (k COLLATE \"und-x-icu\")",
                            "ALTER TABLE t REPLICA IDENTITY USING INDEX t_k",
                            rows("k", "lpad(g::text, 4, '0')"),
                            "ANALYZE t")),
            new Layout(
                    "a row type",
                    false,
                    List.of(
                            "CREATE TYPE pair AS (a int, b text)",
                            "CREATE TABLE t (n int, pad text, k pair PRIMARY KEY)",
                            rows("k", "ROW(g, 'x')::pair"),
                            "ANALYZE t")));

    @ParameterizedTest
    @ValueSource(ints = {14, 18})
    void aTableIsCutByKeyOnlyWhereItsRowsLieInAnOrderThatWeCanAskFor(int version) throws Exception {
        try (SharedPostgres.Database db = SharedPostgres.version(version).fresh()) {
            for (int i = 0; i < LAYOUTS.size(); i++) {
                List<String> sql = new ArrayList<>(List.of("CREATE SCHEMA s" + i, "SET search_path = s" + i));
                sql.addAll(LAYOUTS.get(i).sql());
                db.execute(sql.toArray(String[]::new));
            }
            Map<String, List<String>> specs = read(db);
            for (int i = 0; i < LAYOUTS.size(); i++) {
                String cut = LAYOUTS.get(i).byKey() ? " key=" : " from=";
                assertThat(specs.get("s" + i))
                        .as(LAYOUTS.get(i).what())
                        .isNotEmpty()
                        .allMatch(spec -> spec.contains(cut));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {14, 18})
    void aRangeOfKeysIsReadThroughTheIndex(int version) throws Exception {
        try (SharedPostgres.Database db = SharedPostgres.version(version).fresh()) {
            ordered(db, "s", "bigint", "g");
            String asked = "SELECT seq_scan FROM pg_stat_user_tables WHERE relname = 't'";
            List<String> before = db.query(asked);
            int chunks = read(db).get("s").size();
            Await.until(
                    "the scans of all chunks to be counted",
                    LIMIT,
                    () -> Integer.parseInt(db.query("SELECT idx_scan FROM pg_stat_user_tables WHERE relname = 't'")
                                    .get(0))
                            >= chunks);
            assertThat(db.query(asked)).isEqualTo(before);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {14, 18})
    void aBoundThatIsNoValueAnyMoreMakesTheAttemptVoidAndIsNotShown(int version) throws Exception {
        try (SharedPostgres.Database db = SharedPostgres.version(version).fresh()) {
            String labels = IntStream.rangeClosed(1, ROWS)
                    .mapToObj(i -> "'secret" + i + "'")
                    .collect(Collectors.joining(", "));
            db.execute("CREATE TYPE mood AS ENUM (" + labels + ")");
            ordered(db, "public", "public.mood", "'secret' || g");
            SourceLoop loop = new SourceLoop(Sources.of(db, "snapshot", "only", "snapshot_chunk", "16KiB"));
            try (SourceSession session = loop.open()) {
                loop.prepare(session);
                db.execute(IntStream.rangeClosed(1, ROWS)
                        .mapToObj(i -> "ALTER TYPE mood RENAME VALUE 'secret" + i + "' TO 'open" + i + "'")
                        .toArray(String[]::new));
                for (SplitState split : loop.durable.splits()) {
                    SplitPlan plan = split.plan();
                    assertThatThrownBy(() -> session.open(plan, null))
                            .isInstanceOfSatisfying(TidegateException.class, e -> {
                                assertThat(e.code()).as(e.describe()).isEqualTo(ErrorCode.TABLE_REWRITTEN);
                                assertThat(e.describe()).doesNotContain("secret");
                            })
                            .hasNoCause();
                }
            }
        }
    }
}
