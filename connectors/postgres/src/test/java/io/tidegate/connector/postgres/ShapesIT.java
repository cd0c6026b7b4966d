package io.tidegate.connector.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tidegate.spi.Change;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.Op;
import io.tidegate.spi.TidegateException;
import io.tidegate.testkit.postgres.SharedPostgres;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What rows look like whose key, table or columns change, and what a sink that applies them by key ends with. */
class ShapesIT {

    @Test
    void anUpdateOfTheKeyHoldsBothKeysAndASwapEndsWithBothRows() throws Exception {
        try (Shop shop = new Shop(
                18,
                "CREATE TABLE k (a int, v text, b int, PRIMARY KEY (b, a))",
                "INSERT INTO k VALUES (1, 'x', 1), (1, 'y', 2)")) {
            assertThat(shop.given())
                    .containsExactly("r public.k [a, b] +a=1 v=x b=1", "r public.k [a, b] +a=1 v=y b=2");
            assertThat(shop.after(
                            "UPDATE k SET b = 3 WHERE b = 1",
                            "UPDATE k SET v = 'w' WHERE b = 2",
                            "UPDATE k SET b = b + 10",
                            "BEGIN",
                            "UPDATE k SET b = -1 WHERE b = 12",
                            "UPDATE k SET b = 12 WHERE b = 13",
                            "UPDATE k SET b = 13 WHERE b = -1",
                            "COMMIT"))
                    .containsExactly(
                            "u public.k [a, b] -a=1 b=1 +a=1 v=x b=3",
                            "u public.k [a, b] +a=1 v=w b=2",
                            "u public.k [a, b] -a=1 b=3 +a=1 v=x b=13",
                            "u public.k [a, b] -a=1 b=2 +a=1 v=w b=12",
                            "u public.k [a, b] -a=1 b=12 +a=1 v=w b=-1",
                            "u public.k [a, b] -a=1 b=13 +a=1 v=x b=12",
                            "u public.k [a, b] -a=1 b=-1 +a=1 v=w b=13");
            assertThat(shop.copy.rows("public.k"))
                    .containsExactly("{a=int:1, v=string:x, b=int:12}", "{a=int:1, v=string:w, b=int:13}");
        }
    }

    @Test
    void eachTableOfAPublicationHasTheKeyOfItsOwnIdentity() throws Exception {
        try (Shop shop = new Shop(
                17,
                "CREATE TABLE dflt (id int PRIMARY KEY, v text)",
                "CREATE TABLE deferred (id int PRIMARY KEY DEFERRABLE, u int NOT NULL UNIQUE, v text)",
                "ALTER TABLE deferred REPLICA IDENTITY USING INDEX deferred_u_key",
                "CREATE TABLE everything (id int PRIMARY KEY, v text)",
                "ALTER TABLE everything REPLICA IDENTITY FULL",
                "INSERT INTO dflt VALUES (1, 'a')",
                "INSERT INTO deferred VALUES (1, 10, 'a')",
                "INSERT INTO everything VALUES (1, NULL)")) {
            assertThat(shop.given())
                    .containsExactlyInAnyOrder(
                            "r public.dflt [id] +id=1 v=a",
                            "r public.deferred [u] +id=1 u=10 v=a",
                            "r public.everything [id] +id=1 v=NULL");
            assertThat(shop.after(
                            "BEGIN",
                            "UPDATE dflt SET v = NULL",
                            "UPDATE deferred SET id = 2",
                            "UPDATE deferred SET u = 11",
                            "UPDATE everything SET id = 2, v = 'b'",
                            "DELETE FROM dflt",
                            "DELETE FROM deferred",
                            "DELETE FROM everything",
                            "COMMIT"))
                    .containsExactly(
                            "u public.dflt [id] +id=1 v=NULL",
                            "u public.deferred [u] +id=2 u=10 v=a",
                            "u public.deferred [u] -u=10 +id=2 u=11 v=a",
                            "u public.everything [id] -id=1 v=NULL +id=2 v=b",
                            "d public.dflt [id] -id=1",
                            "d public.deferred [u] -u=11",
                            "d public.everything [id] -id=2 v=b");
        }
    }

    @Test
    void aKeyWithAGeneratedColumnThatTheLogLacksIsNoKey() throws Exception {
        String table =
                "CREATE TABLE g (a int, v text, b int GENERATED ALWAYS AS (length(v)) STORED, PRIMARY KEY (a, b))";
        try (Shop shop = new Shop(17, table, "INSERT INTO g VALUES (1, 'x')")) {
            shop.db.execute("INSERT INTO g VALUES (1, 'xx')", "UPDATE g SET v = 'yyy' WHERE b = 1");
            shop.loop.readLog(shop.session(), changes -> changes.size() >= 3);
            assertThat(shop.loop.taken.stream().map(Copy::text).toList())
                    .containsExactly(
                            "r public.g [] +a=1 v=x", "c public.g [] +a=1 v=xx", "u public.g [] -a=1 +a=1 v=yyy");
        }
    }

    @Test
    void aValueInToastThatStaysIsUnchangedOrTakenFromTheWholeOldRow() throws Exception {
        String columns = "(id int PRIMARY KEY, n int, big text, tags text[], nums bigint[], j jsonb, b bytea, no text)";
        String external = " ALTER big SET STORAGE EXTERNAL, ALTER tags SET STORAGE EXTERNAL, ALTER nums SET STORAGE"
                + " EXTERNAL, ALTER j SET STORAGE EXTERNAL, ALTER b SET STORAGE EXTERNAL";
        String row = " SELECT 1, 1, repeat('x', 9000), array_agg('t' || g), array_agg(g::bigint), jsonb_agg(g),"
                + " decode(repeat('00ff', 4000), 'hex'), NULL FROM generate_series(1, 3000) g";
        try (Shop shop = new Shop(
                14,
                "CREATE TABLE doc " + columns,
                "ALTER TABLE doc" + external,
                "CREATE TABLE whole " + columns,
                "ALTER TABLE whole" + external + ", REPLICA IDENTITY FULL",
                "CREATE TABLE k (id text PRIMARY KEY, v text)",
                "ALTER TABLE k ALTER id SET STORAGE EXTERNAL",
                "INSERT INTO doc" + row)) {
            shop.given();
            List<String> given = shop.after(
                    "UPDATE doc SET n = 2",
                    "UPDATE doc SET id = 7",
                    "UPDATE doc SET big = NULL",
                    "INSERT INTO whole" + row,
                    "UPDATE whole SET n = 2",
                    "UPDATE whole SET id = 7",
                    "INSERT INTO k VALUES (repeat('k', 2500), 'a')",
                    "UPDATE k SET v = 'b'");
            String unchanged = "tags=UNCHANGED nums=UNCHANGED j=UNCHANGED b=UNCHANGED no=NULL";
            String full = given.get(3).replaceFirst(".* big=", "big=");
            assertThat(full).matches("big=<9000> tags=<\\d+> nums=<\\d+> j=<\\d+> b=<16006> no=NULL");
            assertThat(given)
                    .containsExactly(
                            "u public.doc [id] +id=1 n=2 big=UNCHANGED " + unchanged,
                            "u public.doc [id] -id=1 +id=7 n=2 big=UNCHANGED " + unchanged,
                            "u public.doc [id] +id=7 n=2 big=NULL " + unchanged,
                            "c public.whole [id] +id=1 n=1 " + full,
                            "u public.whole [id] -id=1 n=1 " + full + " +id=1 n=2 " + full,
                            "u public.whole [id] -id=1 n=2 " + full + " +id=7 n=2 " + full,
                            "c public.k [id] +id=<2500> v=a",
                            "u public.k [id] -id=<2500> +id=<2500> v=b");
            Change update = shop.loop.taken.stream()
                    .filter(change -> change.table().name().equals("whole") && change.op() == Op.UPDATE)
                    .findFirst()
                    .orElseThrow();
            assertThat(Copy.values(Objects.requireNonNull(update.after()), update.table()))
                    .as("values in TOAST are the old row's, whole")
                    .containsAll(Copy.values(Objects.requireNonNull(update.before()), update.table())
                            .subList(2, 8));
            assertThat(shop.after(
                            "ALTER TABLE whole REPLICA IDENTITY DEFAULT",
                            "ALTER TABLE doc REPLICA IDENTITY FULL",
                            "UPDATE whole SET id = 8",
                            "UPDATE doc SET id = 9"))
                    .containsExactly(
                            "u public.whole [id] -id=7 +id=8 n=2 big=UNCHANGED " + unchanged,
                            "u public.doc [id] " + full.replaceFirst("big=<9000>", "-id=7 n=2 big=NULL") + " "
                                    + full.replaceFirst("big=<9000>", "+id=9 n=2 big=NULL"));
        }
    }

    @Test
    void aChangeHasTheColumnsThatItsTableHadThenAlsoInsideATransaction() throws Exception {
        try (Shop shop = new Shop(
                17, "CREATE TABLE t (id int PRIMARY KEY, a text, b text)", "INSERT INTO t VALUES (1, 'a1', 'b1')")) {
            shop.given();
            assertThat(shop.after(
                            "BEGIN",
                            "INSERT INTO t VALUES (2, 'a2', 'b2')",
                            "ALTER TABLE t DROP COLUMN a",
                            "ALTER TABLE t ADD COLUMN a int DEFAULT 42",
                            "INSERT INTO t VALUES (3, 'b3', 7)",
                            "UPDATE t SET b = 'bb' WHERE id = 1",
                            "COMMIT",
                            "ALTER TABLE t ADD COLUMN n numeric",
                            "INSERT INTO t VALUES (4, 'b4', 8, 1.0)",
                            "ALTER TABLE t RENAME COLUMN n TO \"a.b\"",
                            "UPDATE t SET \"a.b\" = 2.50 WHERE id = 4",
                            "ALTER TABLE t DROP COLUMN b, DROP COLUMN a",
                            "ALTER TABLE t ALTER COLUMN id TYPE bigint",
                            "INSERT INTO t VALUES (2147483648)"))
                    .containsExactly(
                            "c public.t [id] +id=2 a=a2 b=b2",
                            "c public.t [id] +id=3 b=b3 a=7",
                            "u public.t [id] +id=1 b=bb a=42",
                            "c public.t [id] +id=4 b=b4 a=8 n=decimal:1.0",
                            "u public.t [id] +id=4 b=b4 a=8 a.b=decimal:2.50",
                            "c public.t [id] +id=2147483648 a.b=NULL");
        }
    }

    @Test
    void aKeyThatIsDroppedOrMadeCountsFromThereOn() throws Exception {
        try (Shop shop = new Shop(17, "CREATE TABLE t (id int PRIMARY KEY, v text)", "INSERT INTO t VALUES (1, 'a')")) {
            shop.db.execute(
                    "ALTER TABLE t DROP CONSTRAINT t_pkey",
                    "INSERT INTO t VALUES (1, 'b')",
                    "ALTER TABLE t REPLICA IDENTITY FULL",
                    "UPDATE t SET v = 'c' WHERE v = 'b'",
                    "DELETE FROM t WHERE v = 'a'",
                    "ALTER TABLE t REPLICA IDENTITY DEFAULT, ADD PRIMARY KEY (v, id)",
                    "UPDATE t SET id = 2",
                    "DELETE FROM t");
            shop.loop.readLog(shop.session(), changes -> changes.size() >= 6);
            assertThat(shop.loop.taken.stream().map(Copy::text).toList())
                    .containsExactly(
                            "r public.t [id] +id=1 v=a",
                            "c public.t [] +id=1 v=b",
                            "u public.t [id, v] -id=1 v=b +id=1 v=c",
                            "d public.t [id, v] -id=1 v=a",
                            "u public.t [id, v] -id=1 v=c +id=2 v=c",
                            "d public.t [id, v] -id=2 v=c");
        }
    }

    /** A table without rows is complete at once, one without columns has rows all the same. */
    @Test
    void tablesWithoutRowsOrColumnsAreFollowedToo() throws Exception {
        try (Shop shop = new Shop(
                17,
                "CREATE TABLE empty (id int PRIMARY KEY)",
                "CREATE TABLE nothing ()",
                "ALTER TABLE nothing REPLICA IDENTITY FULL",
                "INSERT INTO nothing DEFAULT VALUES",
                "INSERT INTO nothing DEFAULT VALUES")) {
            assertThat(shop.loop.durable.splits())
                    .filteredOn(split -> split.plan().id().contains("public.empty"))
                    .isNotEmpty()
                    .allMatch(split -> split.progress().done());
            shop.db.execute(
                    "INSERT INTO empty VALUES (1)",
                    "INSERT INTO nothing DEFAULT VALUES",
                    "DELETE FROM nothing",
                    "ALTER TABLE nothing ADD COLUMN v int",
                    "INSERT INTO nothing VALUES (7)");
            shop.loop.readLog(shop.session(), changes -> changes.size() >= 8);
            assertThat(shop.loop.taken.stream().map(Copy::text).toList())
                    .containsExactly(
                            "r public.nothing [] +",
                            "r public.nothing [] +",
                            "c public.empty [id] +id=1",
                            "c public.nothing [] +",
                            "d public.nothing [] -",
                            "d public.nothing [] -",
                            "d public.nothing [] -",
                            "c public.nothing [] +v=7");
        }
    }

    @Test
    void namesOfAnyCharactersAreGivenAsTheyAre() throws Exception {
        String odd = "Or\"der né#1/2.😀 '%\\ ; --";
        String longest = "ü".repeat(31) + "x";
        try (Shop shop = new Shop(
                SharedPostgres.version(17).fresh(),
                List.of("publication.name", "Pub-1, \"it's\""),
                "CREATE SCHEMA \"My.Schema\"",
                "CREATE TABLE \"My.Schema\".\"" + odd.replace("\"", "\"\"")
                        + "\" (\"Id\" int PRIMARY KEY, \"a.b\" text, \"select\" int, \"a\"\"b\" text, \"Ünï 😀\" text, \"id\""
                        + " text, \"\t\" text)",
                "CREATE TABLE \"order\" (\"user\" int PRIMARY KEY, \"desc\" text)",
                "CREATE TABLE \"Order\" (\"ID\" int PRIMARY KEY, \"" + longest + "\" text)",
                "CREATE TABLE \"" + longest + "\" (id int PRIMARY KEY)",
                "CREATE TYPE \"Mo.od\" AS ENUM ('a,b', 'C\"d')",
                "CREATE TABLE \"*\" (\"?\" \"Mo.od\" PRIMARY KEY)",
                "INSERT INTO \"My.Schema\".\"" + odd.replace("\"", "\"\"")
                        + "\" VALUES (1, 'x', 2, 'y', 'z', 'w', 't')",
                "INSERT INTO \"order\" VALUES (1, 'd')",
                "INSERT INTO \"Order\" VALUES (2, 'l')",
                "INSERT INTO \"" + longest + "\" VALUES (1)",
                "INSERT INTO \"*\" VALUES ('a,b')")) {
            List<String> snapshot = shop.given();
            assertThat(snapshot)
                    .containsExactlyInAnyOrder(
                            "r My.Schema." + odd + " [Id] +Id=1 a.b=x select=2 a\"b=y Ünï 😀=z id=w \t=t",
                            "r public.order [user] +user=1 desc=d",
                            "r public.Order [ID] +ID=2 " + longest + "=l",
                            "r public." + longest + " [id] +id=1",
                            "r public.* [?] +?=a,b");
            List<String> log = shop.after(
                    "UPDATE \"My.Schema\".\"" + odd.replace("\"", "\"\"") + "\" SET \"Id\" = \"Id\"",
                    "UPDATE \"order\" SET \"user\" = \"user\"",
                    "UPDATE \"Order\" SET \"ID\" = \"ID\"",
                    "UPDATE \"" + longest + "\" SET id = id",
                    "UPDATE \"*\" SET \"?\" = \"?\"");
            assertThat(log.stream().map(text -> "r" + text.substring(1)).toList())
                    .containsExactlyInAnyOrderElementsOf(snapshot);
        }
    }

    @Test
    void changesThatTheServerMakesByItselfAndByHalvesComeOnceEach() throws Exception {
        try (Shop shop = new Shop(
                17,
                "CREATE TABLE p (id int PRIMARY KEY)",
                "CREATE TABLE c (id int PRIMARY KEY, pid int REFERENCES p ON DELETE CASCADE ON UPDATE CASCADE,"
                        + " q int REFERENCES p ON DELETE SET NULL ON UPDATE CASCADE)",
                "INSERT INTO p VALUES (1), (2), (3)",
                "INSERT INTO c VALUES (10, 1, 2), (11, 3, 2)")) {
            shop.given();
            assertThat(shop.after(
                            "UPDATE p SET id = 5 WHERE id = 2",
                            "DELETE FROM p WHERE id = 1",
                            "DELETE FROM p WHERE id = 5"))
                    .containsExactly(
                            "u public.p [id] -id=2 +id=5",
                            "u public.c [id] +id=10 pid=1 q=5",
                            "u public.c [id] +id=11 pid=3 q=5",
                            "d public.p [id] -id=1",
                            "d public.c [id] -id=10",
                            "d public.p [id] -id=5",
                            "u public.c [id] +id=11 pid=3 q=NULL");
            assertThat(shop.after(
                            "BEGIN",
                            "INSERT INTO p VALUES (20)",
                            "SAVEPOINT s",
                            "INSERT INTO p VALUES (21)",
                            "ROLLBACK TO s",
                            "INSERT INTO p VALUES (20), (22) ON CONFLICT (id) DO UPDATE SET id = excluded.id + 100",
                            "COMMIT",
                            "BEGIN",
                            "INSERT INTO p VALUES (30)",
                            "ROLLBACK"))
                    .containsExactly(
                            "c public.p [id] +id=20", "u public.p [id] -id=20 +id=120", "c public.p [id] +id=22");
        }
    }

    @Test
    void aTruncateNamesTheCapturedTablesItEmptiedAndNoOther() throws Exception {
        try (Shop shop = new Shop(
                SharedPostgres.version(14).fresh(),
                List.of("tables", "a b the_end"),
                "CREATE TABLE a (id int PRIMARY KEY)",
                "CREATE TABLE b (id int PRIMARY KEY REFERENCES a)",
                "CREATE TABLE not_ours (id int REFERENCES a)",
                "INSERT INTO a SELECT generate_series(1, 5)",
                "INSERT INTO b VALUES (1)")) {
            shop.given();
            assertThat(shop.after("TRUNCATE b")).containsExactly("t public.b [id]");
            assertThat(shop.copy.rows("public.a")).hasSize(5);
            assertThat(shop.after(
                            "BEGIN",
                            "INSERT INTO a VALUES (6)",
                            "TRUNCATE a RESTART IDENTITY CASCADE",
                            "INSERT INTO a VALUES (7)",
                            "COMMIT"))
                    .containsExactly(
                            "c public.a [id] +id=6", "t public.a [id]", "t public.b [id]", "c public.a [id] +id=7");
            assertThat(shop.copy.rows("public.a")).containsExactly("{id=int:7}");
        }
    }

    @Test
    void whatThePublicationLeavesOutIsInNeitherSnapshotNorLog() throws Exception {
        try (Shop shop = new Shop(
                SharedPostgres.version(17).fresh(),
                List.of("publication.name", "p"),
                "CREATE TABLE t (hidden text, id int PRIMARY KEY, a int, g int GENERATED ALWAYS AS (a * 2) STORED)",
                "CREATE TABLE parts (id int PRIMARY KEY, v text, hidden text) PARTITION BY RANGE (id)",
                "CREATE TABLE part (hidden text, v text, id int NOT NULL)",
                "ALTER TABLE parts ATTACH PARTITION part FOR VALUES FROM (0) TO (100)",
                "CREATE PUBLICATION p FOR TABLE t (a, id) WHERE (id % 2 = 1), parts (v, id) WHERE (id < 50), the_end"
                        + " WITH (publish_via_partition_root = true)",
                "INSERT INTO t VALUES ('x', 1, 10), ('x', 2, 20)",
                "INSERT INTO parts VALUES (1, 'a', 'x'), (60, 'b', 'x')")) {
            assertThat(shop.given())
                    .containsExactlyInAnyOrder("r public.t [id] +id=1 a=10", "r public.parts [id] +id=1 v=a");
            assertThat(shop.after(
                            "INSERT INTO t VALUES ('x', 3, 30), ('x', 4, 40)",
                            "UPDATE t SET hidden = 'y' WHERE id = 1",
                            "UPDATE t SET id = 6 WHERE id = 3",
                            "UPDATE t SET id = 7 WHERE id = 4",
                            "INSERT INTO parts VALUES (2, 'c', 'x'), (61, 'd', 'x')",
                            "UPDATE parts SET id = id + 1 WHERE id = 2"))
                    .containsExactly(
                            "c public.t [id] +id=3 a=30",
                            "u public.t [id] +id=1 a=10",
                            "d public.t [id] -id=3",
                            "c public.t [id] +id=7 a=40",
                            "c public.parts [id] +id=2 v=c",
                            "u public.parts [id] -id=2 +id=3 v=c");
        }
    }

    @Test
    void generatedColumnsAreWhereThePublicationHasThem() throws Exception {
        String columns =
                "(a int PRIMARY KEY, s int GENERATED ALWAYS AS (a * 2) STORED, v int GENERATED ALWAYS AS (a + 1)"
                        + " VIRTUAL, i int GENERATED ALWAYS AS IDENTITY)";
        for (List<String> choice : List.of(
                List.of("stored", "", " +a=1 s=2 i=1", " +a=2 s=4 i=2"),
                List.of("none", "(a, s)", " +a=1 s=2", " +a=2 s=4"))) {
            try (Shop shop = new Shop(
                    SharedPostgres.version(18).fresh(),
                    List.of("publication.name", "p"),
                    "CREATE TABLE t " + columns,
                    "CREATE PUBLICATION p FOR TABLE the_end, t " + choice.get(1) + " WITH (publish_generated_columns = "
                            + choice.get(0) + ")",
                    "INSERT INTO t VALUES (1)")) {
                assertThat(shop.given()).containsExactly("r public.t [a]" + choice.get(2));
                assertThat(shop.after("INSERT INTO t VALUES (2)")).containsExactly("c public.t [a]" + choice.get(3));
            }
        }
    }

    @Test
    void labelsThatAnEnumGetsOnTheWayAreGiven() throws Exception {
        try (Shop shop = new Shop(
                18,
                "CREATE TYPE st AS ENUM ('new', 'done')",
                "CREATE DOMAIN sts AS st[]",
                "CREATE TABLE o (id int PRIMARY KEY, s st, hist st[], d sts)",
                "CREATE TABLE named (id int PRIMARY KEY, c regclass)",
                "INSERT INTO o VALUES (1, 'new', '{new}', NULL)")) {
            assertThat(shop.given()).containsExactly("r public.o [id] +id=1 s=new hist=[string:new] d=NULL");
            assertThat(shop.after(
                            "UPDATE o SET d = '{new}'",
                            "ALTER TYPE st ADD VALUE 'held' BEFORE 'done'",
                            "INSERT INTO o VALUES (2, 'held', '{new,held}', '{held}')",
                            "ALTER TYPE st RENAME VALUE 'held' TO 'kept'",
                            "CREATE TABLE x (id int)",
                            "INSERT INTO named VALUES (1, 'public.x')",
                            "ALTER TABLE x RENAME TO y",
                            "ALTER TYPE st RENAME VALUE 'done' TO 'fini, \"q\"'",
                            "INSERT INTO o VALUES (3, 'fini, \"q\"', ARRAY['fini, \"q\"'::st], NULL)",
                            "ALTER TYPE st RENAME TO \"St 2\"",
                            "UPDATE o SET hist = NULL WHERE id = 1"))
                    .containsExactly(
                            "u public.o [id] +id=1 s=new hist=[string:new] d=[string:new]",
                            "c public.o [id] +id=2 s=held hist=[string:new string:held] d=[string:held]",
                            "c public.named [id] +id=1 c=other:public.x",
                            "c public.o [id] +id=3 s=fini, \"q\" hist=[string:fini, \"q\"] d=NULL",
                            "u public.o [id] +id=1 s=new hist=NULL d=[string:new]");
        }
    }

    @ParameterizedTest
    @CsvSource({"SQL_ASCII,é", "WIN1252,é", "EUC_JP,漢"})
    void aDatabaseInAnotherEncodingGivesTheSameTextAndWhatIsNoTextStopsThePipeline(String encoding, String letter)
            throws Exception {
        SharedPostgres.Database db = SharedPostgres.version(17).fresh();
        db.server()
                .execute(
                        "DROP DATABASE " + db.name(),
                        "CREATE DATABASE " + db.name() + " ENCODING '" + encoding
                                + "' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'");
        try (Shop shop = new Shop(
                db,
                List.of(),
                "CREATE TABLE t (id int PRIMARY KEY, \"" + letter + "\" text)",
                "INSERT INTO t VALUES (1, '" + letter + "')")) {
            assertThat(shop.given()).containsExactly("r public.t [id] +id=1 " + letter + "=" + letter);
            assertThat(shop.after("UPDATE t SET id = 2"))
                    .containsExactly("u public.t [id] -id=1 +id=2 " + letter + "=" + letter);
            if (!encoding.equals("EUC_JP")) {
                assertThatThrownBy(() -> shop.after("INSERT INTO t VALUES (3, E'\\x81')"))
                        .isInstanceOfSatisfying(
                                TidegateException.class,
                                e -> assertThat(e.code()).isEqualTo(ErrorCode.VALUE_UNREADABLE));
            }
        }
    }

    @Test
    void messagesComeIfTheirPrefixIsAskedForAndNoneUnlessAsked() throws Exception {
        String[] sql = {
            "SELECT pg_logical_emit_message(true, 'job', 'a')",
            "SELECT pg_logical_emit_message(false, 'audit.x', 'b')",
            "SELECT pg_logical_emit_message(true, 'jobs', 'c')"
        };
        try (Shop shop = new Shop(SharedPostgres.version(14).fresh(), List.of("messages", "job audit.*"))) {
            assertThat(shop.after(sql))
                    .containsExactly(
                            "m pg_catalog.pg_logical_emit_message [] +prefix=job content=bytes:61 transactional=bool:true",
                            "m pg_catalog.pg_logical_emit_message [] +prefix=audit.x content=bytes:62"
                                    + " transactional=bool:false");
        }
        try (Shop shop = new Shop(14)) {
            assertThat(shop.after(sql)).isEmpty();
        }
    }
}
