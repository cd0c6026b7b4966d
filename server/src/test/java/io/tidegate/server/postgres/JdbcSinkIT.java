package io.tidegate.server.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidegate.engine.Pipeline;
import io.tidegate.engine.PipelineOptions;
import io.tidegate.engine.env.Environment;
import io.tidegate.engine.env.RealDisk;
import io.tidegate.engine.env.Threads;
import io.tidegate.engine.store.FileStateStore;
import io.tidegate.formats.JsonEncoder;
import io.tidegate.server.config.ConfigLoader;
import io.tidegate.server.config.ConfiguredPipeline;
import io.tidegate.server.config.Connectors;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.Finding;
import io.tidegate.spi.TidegateException;
import io.tidegate.testkit.await.Await;
import io.tidegate.testkit.postgres.SharedPostgres;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** From a real PostgreSQL to a real PostgreSQL, through the whole pipeline. */
class JdbcSinkIT {

    private static final Duration LIMIT = Duration.ofSeconds(40);

    /** Each type with values that are easily lost; the same columns stand in the table of all types. */
    private static final List<String> TYPES = List.of(
            "boolean|true",
            "smallint|-32768",
            "bigint|-9223372036854775808",
            "oid|4294967295",
            "real|'1e-07'",
            "real|'NaN'",
            "double precision|0.1::float8 + 0.2::float8",
            "double precision|'-Infinity'",
            "numeric|'123456789012345678901234567890.000010'",
            "numeric|'NaN'",
            "numeric(10,2)|-0.5",
            "character(4)|'ab'",
            "character varying(5)|'ab  '",
            "text|E'quote \" back \\\\ tab \\t line \\n brace {} null NULL'",
            "text|''",
            "\"char\"|'x'",
            "name|'n'",
            "bytea|'\\x00ff27'",
            "date|'0044-03-15 BC'",
            "date|'infinity'",
            "date|'5874897-12-31'",
            "time without time zone|'24:00:00'",
            "time(2) without time zone|'10:00:00.25'",
            "time with time zone|'10:00:00.5+05:30:15'",
            "timestamp without time zone|'294276-12-31 23:59:59.999999'",
            "timestamp without time zone|'0001-01-01 00:00:00.1 BC'",
            "timestamp(0) without time zone|'2024-01-01 10:00:00'",
            "timestamp with time zone|'1900-01-01 00:19:32+00:19:32'",
            "timestamp with time zone|'-infinity'",
            "timestamp with time zone|'4713-01-01 00:00:00+00 BC'",
            "interval|'1 year 2 mons -3 days 04:05:06.789'",
            "interval|'-00:00:00.5'",
            "interval day to second|'1 day 02:03:04'",
            "json|'{\"a\" : 1.10, \"a\":2}'",
            "jsonb|'null'",
            "jsonb|NULL",
            "jsonb|'\"null\"'",
            "jsonb|'[null, \"\\u00e9\", 1e2]'",
            "uuid|'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'",
            "money|-1234.5",
            "bit(5)|B'00101'",
            "bit varying|B'001'",
            "inet|'10.0.0.1/8'",
            "cidr|'10.0.0.0/8'",
            "macaddr|'08:00:2b:01:02:03'",
            "int4range|'[1,3]'",
            "tstzrange|'[2024-01-01,)'",
            "int4multirange|'{[1,3],[5,7]}'",
            "point|'(1.5,-2)'",
            "box|'(3,3),(0,0)'",
            "xml|'<a>x</a>'",
            "tsvector|'a:1 b:2'",
            "pg_lsn|'16/B374D848'",
            "integer[]|'{{1,2},{3,NULL}}'",
            "integer[]|'[0:1]={1,2}'",
            "integer[]|'{}'",
            "text[]|ARRAY['NULL',NULL,'','a\"b','e,f','back\\slash','{}']",
            "bytea[]|ARRAY['\\x00ff'::bytea]",
            "timestamp with time zone[]|ARRAY['infinity'::timestamptz, '0044-03-15 00:00:00+00 BC']",
            "numeric(6,3)[]|'{1.5,NaN}'",
            "jsonb[]|ARRAY['{\"a\": \"b\"}'::jsonb]",
            "box[]|'{(1,1),(0,0);(3,3),(2,2)}'",
            "public.mood|'so so'",
            "public.mood[]|'{\"so so\",NULL}'",
            "public.positive|7",
            "public.pair|ROW(1,'x, \"y\"')",
            "public.citext|'aB'");

    private static final String[] USER_TYPES = {
        "CREATE EXTENSION citext",
        "CREATE TYPE mood AS ENUM ('so so', 'fine')",
        "CREATE DOMAIN positive AS bigint CHECK (VALUE > 0)",
        "CREATE TYPE pair AS (a int, b text)"
    };

    private static String columns() {
        StringBuilder columns = new StringBuilder("id int PRIMARY KEY");
        for (int i = 0; i < TYPES.size(); i++) {
            columns.append(", c").append(i).append(' ').append(TYPES.get(i).split("\\|", 2)[0]);
        }
        return columns.toString();
    }

    private static String values() {
        return String.join(
                ", ", TYPES.stream().map(type -> type.split("\\|", 2)[1]).toList());
    }

    @TempDir
    Path folder;

    private Pipeline pipeline;

    private ConfiguredPipeline configured(String source, List<String> sink) throws Exception {
        Path file = folder.resolve("shop.yaml");
        List<String> lines = new ArrayList<>(List.of("pipeline: shop", "source:", "  postgres:"));
        Stream.of("url: postgresql://postgres@127.0.0.1:" + source + "?sslmode=disable", "tables: ['public.*']")
                .forEach(line -> lines.add("    " + line));
        lines.addAll(List.of("sink:", "  jdbc:"));
        sink.forEach(line -> lines.add("    " + line));
        Files.write(file, lines);
        return new ConfigLoader(Connectors.onClassPath(), variable -> null).load(file);
    }

    private static String place(SharedPostgres.Database database) {
        return database.server().port() + "/" + database.name();
    }

    private static String url(SharedPostgres.Database database) {
        return "url: postgresql://postgres@127.0.0.1:" + place(database);
    }

    private void start(ConfiguredPipeline configured) {
        PipelineOptions options = new PipelineOptions(
                100,
                256 << 10,
                8,
                1 << 20,
                Duration.ofMillis(20),
                1_000,
                PipelineOptions.RejectPolicy.HALT,
                Duration.ofMillis(100),
                Duration.ofSeconds(1),
                Duration.ofSeconds(8));
        FileStateStore.Options store = new FileStateStore.Options(
                new RealDisk(),
                configured.config().stateDir(),
                "shop",
                configured.source().positions());
        pipeline = new Pipeline(
                new Pipeline.Definition(
                        "shop",
                        configured.source(),
                        configured.sink(),
                        JsonEncoder::new,
                        options,
                        () -> FileStateStore.open(store, "this test")),
                new Environment(
                        new io.tidegate.engine.env.Clock() {
                            @Override
                            public long nanoTime() {
                                return System.nanoTime();
                            }

                            @Override
                            public long epochMillis() {
                                return System.currentTimeMillis();
                            }
                        },
                        new SplittableRandom(),
                        Threads.system(),
                        new RealDisk()));
        pipeline.start();
    }

    private void stop() throws InterruptedException {
        if (pipeline != null) {
            pipeline.stop();
            assertThat(pipeline.await(LIMIT)).isNotNull();
        }
    }

    private void await(SharedPostgres.Database target, String sql, String... rows) throws Exception {
        Await.until(
                sql + " to give " + List.of(rows),
                LIMIT,
                () -> {
                    if (pipeline.outcome() != null) {
                        throw new AssertionError("it ended: " + describe());
                    }
                    try {
                        return target.query(sql).equals(List.of(rows));
                    } catch (java.sql.SQLException notMadeYet) {
                        return false;
                    }
                },
                this::describe);
    }

    private String describe() {
        Pipeline.Outcome outcome = pipeline.outcome();
        TidegateException failure = outcome == null ? null : outcome.failure();
        return pipeline.status() + (failure == null ? "" : failure.describe());
    }

    private TidegateException failure() throws InterruptedException {
        Pipeline.Outcome outcome = pipeline.await(LIMIT);
        assertThat(outcome).as(pipeline.status().toString()).isNotNull();
        return outcome.failure();
    }

    @Test
    void everyTypeArrivesAsItWasBySnapshotAndByTheLog() throws Exception {
        try (SharedPostgres.Database source = SharedPostgres.version(17).fresh();
                SharedPostgres.Database target = SharedPostgres.version(18).fresh()) {
            source.execute(USER_TYPES);
            source.execute("CREATE TABLE every (" + columns() + ")", "ALTER TABLE every REPLICA IDENTITY FULL");
            source.execute("INSERT INTO every VALUES (1, " + values() + ")", "INSERT INTO every VALUES (2)");
            target.execute(USER_TYPES);
            start(configured(place(source), List.of(url(target), "create_tables: true")));
            await(target, "SELECT count(*) FROM every", "2");
            source.execute("INSERT INTO every VALUES (3, " + values() + ")", "INSERT INTO every VALUES (4)");
            source.execute("UPDATE every SET id = 5 WHERE id = 3", "DELETE FROM every WHERE id = 2");
            await(target, "SELECT id FROM every ORDER BY id", "1", "4", "5");
            String rows = "SELECT every::text FROM every ORDER BY id";
            assertThat(target.query(rows)).isEqualTo(source.query(rows));
            String types = "SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid ="
                    + " 'every'::regclass AND attnum > 0 ORDER BY attnum";
            assertThat(target.query(types)).isEqualTo(source.query(types));
        } finally {
            stop();
        }
    }

    @Test
    void typesThatTheTargetDoesNotKnowBecomeText() throws Exception {
        try (SharedPostgres.Database source = SharedPostgres.version(17).fresh();
                SharedPostgres.Database target = SharedPostgres.version(18).fresh()) {
            source.execute(USER_TYPES);
            source.execute(
                    "CREATE TABLE u (id int PRIMARY KEY, m mood, ms mood[], p pair, c citext, d positive)",
                    "INSERT INTO u VALUES (1, 'so so', '{fine}', ROW(1,'x'), 'aB', 7)");
            start(configured(place(source), List.of(url(target), "create_tables: true")));
            await(target, "SELECT * FROM u", "1|so so|{\"fine\"}|(1,x)|aB|7");
        } finally {
            stop();
        }
    }

    @Test
    void followsSnapshotLogAndRestartInBothModes() throws Exception {
        for (String mode : List.of("upsert", "append")) {
            try (SharedPostgres.Database source = SharedPostgres.version(17).fresh();
                    SharedPostgres.Database target = SharedPostgres.version(18).fresh()) {
                source.execute(
                        "CREATE TABLE t (id int PRIMARY KEY, v text, big text)",
                        "ALTER TABLE t ALTER big SET STORAGE EXTERNAL",
                        "INSERT INTO t SELECT g, 'v' || g, repeat('x', 3000) FROM generate_series(1, 500) g");
                List<String> sink = List.of(url(target), "create_tables: true", "mode: " + mode);
                start(configured(place(source), sink));
                await(target, "SELECT count(*) FROM t", "500");
                source.execute("UPDATE t SET v = 'changed' WHERE id <= 100", "UPDATE t SET id = 1000 WHERE id = 1");
                await(target, "SELECT count(*) FROM t", mode.equals("upsert") ? "500" : "601");
                stop();
                source.execute("DELETE FROM t WHERE id BETWEEN 2 AND 50", "INSERT INTO t VALUES (2, 'again', 'y')");
                start(configured(place(source), sink));
                if (mode.equals("upsert")) {
                    await(target, "SELECT count(*), max(v) FILTER (WHERE id = 2) FROM t", "452|again");
                    await(target, "SELECT count(*) FROM t WHERE v = 'changed' AND length(big) = 3000", "51");
                    String rows = "SELECT md5(string_agg(t::text, ',' ORDER BY id)) FROM t";
                    assertThat(target.query(rows)).isEqualTo(source.query(rows));
                } else {
                    await(
                            target,
                            "SELECT op, count(*), count(DISTINCT ordinal), count(snapshot) FROM t GROUP BY op ORDER BY op",
                            "c|1|1|0",
                            "d|49|49|0",
                            "r|500|0|500",
                            "u|101|101|0");
                }
                stop();
                source.execute("SELECT pg_drop_replication_slot('tidegate_shop')");
                try (Stream<Path> state = Files.walk(folder)) {
                    for (Path path : state.sorted(java.util.Comparator.reverseOrder())
                            .filter(path -> !path.equals(folder))
                            .toList()) {
                        Files.delete(path);
                    }
                }
            } finally {
                stop();
            }
        }
    }

    /** Rule 19 of the source's: one server, one database, and what of it is refused. */
    @Test
    void sourceAndTargetMayBeOneDatabaseButNotOneTable() throws Exception {
        try (SharedPostgres.Database database = SharedPostgres.version(17).fresh()) {
            database.execute("CREATE TABLE t (id int PRIMARY KEY)", "INSERT INTO t VALUES (1)", "CREATE SCHEMA copies");
            List<String> fits = List.of(
                    url(database), "create_tables: true", "names.schema: copies", "position_table: copies.position");
            ConfiguredPipeline apart = configured(place(database), nested(fits));
            assertThat(apart.sink().check(apart.source())).noneMatch(f -> f.severity() == Finding.Severity.ERROR);
            start(apart);
            await(database, "SELECT * FROM copies.t", "1");
            database.execute("INSERT INTO t VALUES (2)");
            await(database, "SELECT * FROM copies.t ORDER BY 1", "1", "2");
            stop();
            for (List<String> loops : List.of(
                    List.of(url(database), "create_tables: true", "position_table: copies.position"),
                    List.of(url(database), "names.schema: copies"))) {
                ConfiguredPipeline loop = configured(place(database), nested(loops));
                assertThat(loop.sink().check(loop.source()))
                        .anyMatch(f -> f.problem().contains("read again"));
                start(loop);
                database.execute("INSERT INTO t SELECT max(id) + 1 FROM t");
                TidegateException failure = failure();
                assertThat(failure.code()).isEqualTo(ErrorCode.PREFLIGHT);
                assertThat(failure).hasMessageContaining("captured by this pipeline's source");
            }
        } finally {
            stop();
        }
    }

    private static List<String> nested(List<String> lines) {
        return lines.stream()
                .map(line -> line.replaceFirst("names\\.(\\w+): (.*)", "names: {$1: $2}"))
                .toList();
    }
}
