package io.tidegate.connector.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tidegate.spi.Checkpoint;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.Finding;
import io.tidegate.spi.Source;
import io.tidegate.spi.SourceSession;
import io.tidegate.spi.TidegateException;
import io.tidegate.testkit.postgres.SharedPostgres;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tables that come, go, change their names, and are read again: each by itself (rules 3, 9 and 10). */
class LivingTablesIT {

    private static SourceLoop born(SharedPostgres.Database db, String... more) throws Exception {
        db.execute(
                "CREATE TABLE t (id int PRIMARY KEY)",
                "CREATE TABLE u (id int PRIMARY KEY)",
                "INSERT INTO t VALUES (1)",
                "INSERT INTO u VALUES (1)");
        SourceLoop loop = Sources.born(Sources.of(db, more));
        loop.changes.clear();
        return loop;
    }

    private static SourceLoop with(SourceLoop before, Source source) {
        SourceLoop loop = new SourceLoop(source);
        loop.durable = before.durable;
        return loop;
    }

    /** A session that reads what there is of rows, then the log up to a row of table u. */
    private static void session(SourceLoop loop, SharedPostgres.Database db, int mark) throws Exception {
        loop.changes.clear();
        try (SourceSession session = loop.open()) {
            loop.prepare(session);
            loop.readSnapshot(session);
            db.execute("INSERT INTO u VALUES (" + mark + ")");
            loop.readLog(session, changes -> changes.contains("c public.u id=" + mark));
        }
    }

    private static List<String> problems(SourceLoop loop) {
        return loop.problems.stream()
                .filter(problem -> problem.severity() == Finding.Severity.ERROR)
                .map(problem -> problem.code().code() + " " + problem.object() + ": " + problem.problem())
                .toList();
    }

    @ParameterizedTest
    @ValueSource(ints = {14, 17, 18})
    void aTableThatLeftThePublicationForAWhileIsLostAndTheOthersGoOn(int version) throws Exception {
        try (SharedPostgres.Database db = SharedPostgres.version(version).fresh()) {
            SourceLoop loop = born(db);
            db.execute(
                    "CREATE TABLE stranger (id int)",
                    "ALTER PUBLICATION tidegate_shop ADD TABLE stranger",
                    "ALTER PUBLICATION tidegate_shop DROP TABLE t",
                    "INSERT INTO t VALUES (7)",
                    "ALTER PUBLICATION tidegate_shop ADD TABLE t",
                    "INSERT INTO t VALUES (8)");

            session(loop, db, 2);

            assertThat(loop.changes).containsExactly("c public.u id=2");
            assertThat(problems(loop)).singleElement().asString().startsWith("TG-TABLE-LOST public.t: ");
            db.execute("INSERT INTO t VALUES (9)");
            session(loop, db, 3);
            assertThat(loop.changes).as("lost until it is read again").containsExactly("c public.u id=3");

            loop.durable = SourceLoop.apply(loop.durable, loop.source.resnapshot(loop.durable, List.of("t")));
            session(loop, db, 4);

            assertThat(loop.changes)
                    .containsExactly(
                            "t public.t",
                            "r public.t id=1",
                            "r public.t id=7",
                            "r public.t id=8",
                            "r public.t id=9",
                            "c public.u id=4");
            assertThat(problems(loop)).isEmpty();
            db.execute("INSERT INTO t VALUES (10)");
            session(loop, db, 5);
            assertThat(loop.changes).containsExactly("c public.t id=10", "c public.u id=5");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {17})
    void aTableThatSomebodyTookOutOfOurPublicationIsPutBackWhenItIsReadAgain(int version) throws Exception {
        try (SharedPostgres.Database db = SharedPostgres.version(version).fresh()) {
            SourceLoop loop = born(db);
            db.execute("ALTER PUBLICATION tidegate_shop DROP TABLE t", "INSERT INTO t VALUES (7)");
            session(loop, db, 2);
            assertThat(problems(loop)).singleElement().asString().startsWith("TG-TABLE-LOST public.t: ");

            loop.durable = SourceLoop.apply(loop.durable, loop.source.resnapshot(loop.durable, List.of("t")));
            session(loop, db, 3);

            assertThat(loop.changes)
                    .containsExactly("t public.t", "r public.t id=1", "r public.t id=7", "c public.u id=3");
            assertThat(members(db)).containsExactly("t", "u");
            db.execute("INSERT INTO t VALUES (8)");
            session(loop, db, 4);
            assertThat(loop.changes).containsExactly("c public.t id=8", "c public.u id=4");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {14, 18})
    void aTableThatIsDroppedOrMadeAgainOrRenamedAwayIsAnErrorOfThatTable(int version) throws Exception {
        try (SharedPostgres.Database db = SharedPostgres.version(version).fresh()) {
            db.execute("CREATE TABLE gone (id int PRIMARY KEY)", "CREATE TABLE again (id int PRIMARY KEY)");
            SourceLoop loop = born(db, "tables", "t u gone again");
            db.execute(
                    "DROP TABLE gone",
                    "DROP TABLE again",
                    "CREATE TABLE again (id int PRIMARY KEY)",
                    "INSERT INTO again VALUES (5)",
                    "ALTER TABLE t RENAME TO elsewhere");

            session(loop, db, 2);

            assertThat(loop.changes).containsExactly("c public.u id=2");
            assertThat(problems(loop))
                    .hasSize(3)
                    .anyMatch(text -> text.startsWith("TG-TABLE-LOST public.gone") && text.contains("dropped"))
                    .anyMatch(text -> text.startsWith("TG-TABLE-LOST public.again") && text.contains("dropped"))
                    .anyMatch(text -> text.startsWith("TG-TABLE-LOST public.t") && text.contains("public.elsewhere"));

            loop.durable = SourceLoop.apply(loop.durable, loop.source.resnapshot(loop.durable, List.of("again")));
            session(loop, db, 3);

            assertThat(loop.changes)
                    .as("the new table takes the old one's place, behind a truncate")
                    .containsExactly("t public.again", "r public.again id=5", "c public.u id=3");
            assertThat(problems(loop)).hasSize(2);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {17})
    void tablesThatGetEachOthersNamesAreReadAgainUnderTheirNewOnes(int version) throws Exception {
        try (SharedPostgres.Database db = SharedPostgres.version(version).fresh()) {
            db.execute("CREATE TABLE v (id int PRIMARY KEY)", "INSERT INTO v VALUES (100)");
            SourceLoop loop = born(db);
            db.execute(
                    "ALTER TABLE t RENAME TO aside",
                    "ALTER TABLE v RENAME TO t",
                    "ALTER TABLE aside RENAME TO v",
                    "INSERT INTO t VALUES (101)");

            session(loop, db, 2);

            assertThat(loop.changes)
                    .containsExactlyInAnyOrder(
                            "t public.t",
                            "t public.v",
                            "r public.v id=1",
                            "r public.t id=100",
                            "r public.t id=101",
                            "c public.u id=2");
            assertThat(problems(loop)).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {17})
    void aNewTableTakesThePlaceOfOneThatWasRenamedAway(int version) throws Exception {
        try (SharedPostgres.Database db = SharedPostgres.version(version).fresh()) {
            SourceLoop loop = born(db, "tables", "t u");
            db.execute(
                    "ALTER TABLE t RENAME TO t_old", "CREATE TABLE t (id int PRIMARY KEY)", "INSERT INTO t VALUES (5)");
            session(loop, db, 2);
            assertThat(problems(loop)).singleElement().asString().startsWith("TG-TABLE-LOST public.t: ");

            loop.durable = SourceLoop.apply(loop.durable, loop.source.resnapshot(loop.durable, List.of("t")));
            session(loop, db, 3);

            assertThat(loop.changes).containsExactly("t public.t", "r public.t id=5", "c public.u id=3");
            assertThat(problems(loop)).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {17})
    void aTableThatCannotJoinStopsNoOther(int version) throws Exception {
        try (SharedPostgres.Database db = SharedPostgres.version(version).fresh()) {
            db.execute("CREATE PUBLICATION everything FOR ALL TABLES");
            SourceLoop loop = born(db, "publication.name", "everything", "auto_add", "true");
            db.execute("CREATE TABLE m (id int PRIMARY KEY) PARTITION BY RANGE (id)");

            session(loop, db, 2);

            assertThat(loop.changes).containsExactly("c public.u id=2");
            assertThat(problems(loop))
                    .singleElement()
                    .asString()
                    .startsWith("TG-PUBLICATION public.m: ")
                    .contains("under the name of");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {17})
    void aTableWhoseLockSomebodyHoldsStopsNoOther(int version) throws Exception {
        try (SharedPostgres.Database db = SharedPostgres.version(version).fresh()) {
            SourceLoop loop = born(db, "auto_add", "true");
            db.execute("CREATE TABLE v (id int PRIMARY KEY)");
            try (java.sql.Connection other = db.connect();
                    java.sql.Statement statement = other.createStatement()) {
                other.setAutoCommit(false);
                statement.execute("LOCK TABLE v IN SHARE UPDATE EXCLUSIVE MODE");
                session(loop, db, 2);
                assertThat(loop.changes).containsExactly("c public.u id=2");
                assertThat(problems(loop)).singleElement().asString().contains("public.v", "55P03");
            }
            session(loop, db, 3);
            assertThat(members(db)).containsExactly("t", "u", "v");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {17})
    void tablesThatWereReadBeyondWhatTheServerHasAreReadAgain(int version) throws Exception {
        try (SharedPostgres.Database db = SharedPostgres.version(version).fresh()) {
            SourceLoop loop = born(db);
            String point = loop.durable.source().entries().keySet().stream()
                    .filter(name -> name.startsWith("table.") && name.endsWith(".point"))
                    .findFirst()
                    .orElseThrow();
            loop.durable = new Checkpoint(loop.durable.source().with(point, "FFFF/0"), loop.durable.splits());

            session(loop, db, 2);

            assertThat(loop.changes)
                    .as("of a server that was restored, or left behind by a failover")
                    .hasSize(3)
                    .anyMatch(text -> text.startsWith("t public."))
                    .contains("c public.u id=2");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {17})
    void whenLostIsNotStoppedByALossThatIsSeenOnTheWay(int version) throws Exception {
        try (SharedPostgres.Database db = SharedPostgres.version(version).fresh()) {
            SourceLoop loop = born(db, "snapshot", "when_lost");
            try (SourceSession session = loop.open()) {
                loop.prepare(session);
                db.execute("SELECT pg_drop_replication_slot('s_" + db.name() + "')");
                assertThatThrownBy(session::tend)
                        .isInstanceOfSatisfying(
                                TidegateException.class,
                                e -> assertThat(e.code().outcome()).isEqualTo(ErrorCode.Outcome.RETRY))
                        .hasMessageContaining("is gone");
            }
            session(loop, db, 2);
            assertThat(loop.changes).contains("t public.t", "r public.t id=1", "c public.u id=2");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {14, 18})
    void tablesJoinAndLeaveWithTheConfiguration(int version) throws Exception {
        try (SharedPostgres.Database db = SharedPostgres.version(version).fresh()) {
            SourceLoop two = born(db, "tables", "t u");
            db.execute("CREATE TABLE v (id int PRIMARY KEY)", "INSERT INTO v VALUES (1)", "INSERT INTO t VALUES (2)");

            SourceLoop three = with(two, Sources.of(db, "tables", "t u v"));
            session(three, db, 2);

            assertThat(three.changes)
                    .as("the log of the others waits for the new table's rows, and loses nothing")
                    .containsExactly("r public.v id=1", "c public.t id=2", "c public.u id=2");
            assertThat(members(db)).containsExactly("t", "u", "v");

            SourceLoop without = with(three, Sources.of(db, "tables", "t u"));
            session(without, db, 3);
            db.execute("INSERT INTO v VALUES (2)");
            session(without, db, 4);

            assertThat(without.changes).containsExactly("c public.u id=4");
            assertThat(members(db)).containsExactly("t", "u");
            assertThat(without.durable.source().entries().keySet())
                    .noneMatch(name -> without.durable.source().get(name).equals("v"));

            SourceLoop again = with(without, Sources.of(db, "tables", "t u v"));
            session(again, db, 5);

            assertThat(again.changes)
                    .as("what it delivered before it left is void")
                    .containsExactly("t public.v", "r public.v id=1", "r public.v id=2", "c public.u id=5");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {18})
    void refusesAConfigurationWhoseNewTableCannotBeCaptured(int version) throws Exception {
        try (SharedPostgres.Database db = SharedPostgres.version(version).fresh()) {
            SourceLoop loop = born(db, "tables", "t u");
            db.execute("CREATE TABLE keyless (a int)", "CREATE UNLOGGED TABLE unlogged (id int PRIMARY KEY)");

            for (String table : List.of("keyless", "missing")) {
                SourceLoop more = with(loop, Sources.of(db, "tables", "t u " + table));
                Sources.refuses(more, ErrorCode.PREFLIGHT, table);
                assertThat(Sources.errors(more.source.check(more.durable))).isNotEmpty();
            }
            assertThat(members(db)).containsExactly("t", "u");
            session(loop, db, 2);
            assertThat(loop.changes).containsExactly("c public.u id=2");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {14, 18})
    void withAutoAddATableThatAppearsIsReadAndTheRestGoesOn(int version) throws Exception {
        try (SharedPostgres.Database db = SharedPostgres.version(version).fresh()) {
            SourceLoop loop = born(db, "auto_add", "true");
            try (SourceSession session = loop.open()) {
                loop.prepare(session);
                session.tend();
                db.execute(
                        "CREATE TABLE v (id int PRIMARY KEY)",
                        "INSERT INTO v VALUES (1)",
                        "CREATE TABLE keyless (a int)");
                loop.skippedNanos = Duration.ofSeconds(61).toNanos();
                assertThatThrownBy(session::tend).isInstanceOfSatisfying(TidegateException.class, e -> {
                    assertThat(e.code()).isEqualTo(ErrorCode.TABLES_CHANGED);
                    assertThat(e.code().outcome()).isEqualTo(ErrorCode.Outcome.AGAIN);
                    assertThat(e).hasMessageContaining("public.v");
                });
            }

            session(loop, db, 2);

            assertThat(loop.changes).containsExactly("r public.v id=1", "c public.u id=2");
            assertThat(problems(loop))
                    .singleElement()
                    .asString()
                    .startsWith("TG-PREFLIGHT public.keyless")
                    .contains("nothing identifies its rows");
            assertThat(members(db)).containsExactly("t", "u", "v");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {14, 18})
    void whenLostReadsALostTableAgainByItself(int version) throws Exception {
        try (SharedPostgres.Database db = SharedPostgres.version(version).fresh()) {
            SourceLoop loop = born(db, "snapshot", "when_lost");
            db.execute(
                    "ALTER PUBLICATION tidegate_shop DROP TABLE t",
                    "INSERT INTO t VALUES (7)",
                    "ALTER PUBLICATION tidegate_shop ADD TABLE t");

            session(loop, db, 2);

            assertThat(loop.changes)
                    .containsExactly("t public.t", "r public.t id=1", "r public.t id=7", "c public.u id=2");
            assertThat(problems(loop)).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {14, 18})
    void whenLostBeginsAnewWhereTheSlotIsGone(int version) throws Exception {
        try (SharedPostgres.Database db = SharedPostgres.version(version).fresh()) {
            SourceLoop loop = born(db, "snapshot", "when_lost");
            String lineage = loop.log().plan().lineage();
            db.execute(
                    "SELECT pg_drop_replication_slot('s_" + db.name() + "')",
                    "DROP TABLE u",
                    "CREATE TABLE u (id int PRIMARY KEY)",
                    "INSERT INTO t VALUES (7)");

            session(loop, db, 2);

            assertThat(loop.changes)
                    .as("tables that were read before begin with a truncate, whatever their OID is now")
                    .containsExactly(
                            "t public.t", "t public.u", "r public.t id=1", "r public.t id=7", "c public.u id=2");
            assertThat(loop.log().plan().lineage()).isNotEqualTo(lineage);
            assertThat(Sources.made(db)).containsExactly("publication tidegate_shop", "slot s_" + db.name());
            session(loop, db, 3);
            assertThat(loop.changes).containsExactly("c public.u id=3");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {18})
    void readsATableAgainWithoutATruncateIfStaleRowsAreToBeKept(int version) throws Exception {
        try (SharedPostgres.Database db = SharedPostgres.version(version).fresh()) {
            SourceLoop loop = born(db, "stale_rows", "keep");
            String lineage = loop.log().plan().lineage();

            loop.durable = SourceLoop.apply(loop.durable, loop.source.resnapshot(loop.durable, List.of("public.*")));
            session(loop, db, 2);

            assertThat(loop.changes).containsExactly("r public.t id=1", "r public.u id=1", "c public.u id=2");
            assertThat(loop.log().plan().lineage()).isEqualTo(lineage);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {18})
    void refusesToReadATableAgainThatItDoesNotHave(int version) throws Exception {
        try (SharedPostgres.Database db = SharedPostgres.version(version).fresh()) {
            SourceLoop loop = born(db);

            assertThatThrownBy(() -> loop.source.resnapshot(loop.durable, List.of("t", "x.y")))
                    .isInstanceOfSatisfying(
                            TidegateException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CONFIG_INVALID))
                    .hasMessageContainingAll("x.y", "public.t", "public.u");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {14, 18})
    void warnsOnceOfRowsThatDdlChangedAndNamesTheWay(int version) throws Exception {
        try (SharedPostgres.Database db = SharedPostgres.version(version).fresh();
                Warnings warnings = new Warnings()) {
            db.execute("CREATE TABLE w (id int PRIMARY KEY, a int, b text)");
            SourceLoop loop = born(db);
            try (SourceSession session = loop.open()) {
                loop.prepare(session);
                session.tend();
                db.execute(
                        "ALTER TABLE w RENAME b TO c",
                        "ALTER TABLE w ADD d text",
                        "ALTER TABLE w ADD e text DEFAULT 'x'",
                        "ALTER TABLE w ALTER a TYPE bigint");
                for (int minutes = 1; minutes <= 2; minutes++) {
                    loop.skippedNanos = Duration.ofSeconds(61L * minutes).toNanos();
                    session.tend();
                }
            }
            assertThat(warnings.texts)
                    .singleElement()
                    .asString()
                    .contains(
                            "public.w",
                            "column e was added with a value for every row",
                            "column a became bigint",
                            "tidegate resnapshot FILE public.w")
                    .doesNotContain("column d", "column c");
            session(loop, db, 2);
            session(loop, db, 3);
            assertThat(warnings.texts)
                    .as("again at the next start, and not at the one after")
                    .hasSize(2);
        }
    }

    private static List<String> members(SharedPostgres.Database db) throws Exception {
        return db.query("SELECT tablename FROM pg_publication_tables WHERE pubname = 'tidegate_shop' ORDER BY 1");
    }
}
