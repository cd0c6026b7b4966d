package io.tidegate.connector.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tidegate.connector.postgres.position.Lsn;
import io.tidegate.spi.Checkpoint;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.Finding;
import io.tidegate.spi.Source;
import io.tidegate.spi.SourceSession;
import io.tidegate.spi.SplitProgress;
import io.tidegate.spi.TidegateException;
import io.tidegate.testkit.postgres.SharedPostgres;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rules 1 to 3, 5, 6 and 9 on real servers. */
class BirthIT {

    @ParameterizedTest
    @ValueSource(ints = {14, 17, 18})
    void deliversEachRowOnceFromSnapshotAndLogAndLeavesNothingAfterRemoval(int version) throws Exception {
        try (SharedPostgres.Database db = SharedPostgres.version(version).fresh()) {
            db.execute(
                    "CREATE TABLE t (id int PRIMARY KEY, v text, g int GENERATED ALWAYS AS (id * 2) STORED)",
                    "INSERT INTO t SELECT g, E'a\\tb\\\\c\\n' || repeat('x', 1000) FROM generate_series(1, 3000) g",
                    "INSERT INTO t VALUES (5000, NULL)");
            SourceLoop loop = new SourceLoop(Sources.of(db));
            try (SourceSession session = loop.open()) {
                loop.prepare(session);
                db.execute("INSERT INTO t VALUES (9000, 'after')", "DELETE FROM t WHERE id = 1");
                loop.readSnapshot(session);
                assertThat(loop.changes).hasSize(3001).doesNotHaveDuplicates();
                assertThat(loop.changes).contains("r public.t id=5000 v=NULL");
                assertThat(loop.changes).contains("r public.t id=1 v=a\tb\\c\n" + "x".repeat(1000));
                assertThat(loop.durable.splits()).hasSizeGreaterThan(3);
                loop.changes.clear();
                loop.readLog(session, changes -> changes.size() >= 2);
                assertThat(loop.changes.get(0)).isEqualTo("c public.t id=9000 v=after");
                assertThat(loop.changes.get(1)).startsWith("d public.t id=1");
            }
            try (Source.Removal removal = Sources.of(db).removal(loop.durable)) {
                assertThat(removal.describe()).hasSize(2);
                removal.execute();
                assertThat(removal.describe()).isEmpty();
            }
            assertThat(Sources.made(db)).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {14, 17, 18})
    void endsInTheSameStateWhereverTheBirthIsCutOff(int version) throws Exception {
        for (int steps = 1; steps <= 3; steps++) {
            for (boolean stored : new boolean[] {true, false}) {
                try (SharedPostgres.Database db =
                        SharedPostgres.version(version).fresh()) {
                    db.execute("CREATE TABLE t (id int PRIMARY KEY)", "INSERT INTO t VALUES (1), (2)");
                    SourceLoop loop = new SourceLoop(Sources.of(db));
                    try (SourceSession cut = loop.open()) {
                        for (int i = 1; i < steps; i++) {
                            loop.step(cut);
                        }
                        Checkpoint before = loop.durable;
                        loop.step(cut);
                        if (!stored) {
                            loop.durable = before;
                        }
                    }
                    try (SourceSession session = loop.open()) {
                        loop.prepare(session);
                        loop.readSnapshot(session);
                        db.execute("INSERT INTO t VALUES (3)");
                        loop.readLog(session, changes -> changes.contains("c public.t id=3"));
                    }
                    assertThat(loop.changes)
                            .as("after %s steps, the last stored: %s", steps, stored)
                            .contains("r public.t id=1", "r public.t id=2", "c public.t id=3");
                    assertThat(Sources.made(db)).containsExactly("publication tidegate_shop", "slot s_" + db.name());
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {14, 18})
    void readsATableAgainBehindATruncateUnlessAllOfItIsDurablyDone(int version) throws Exception {
        try (SharedPostgres.Database db = SharedPostgres.version(version).fresh()) {
            db.execute(
                    "CREATE TABLE t (id int PRIMARY KEY)",
                    "CREATE TABLE u (id int PRIMARY KEY)",
                    "INSERT INTO t VALUES (1)",
                    "INSERT INTO u VALUES (2)");
            SourceLoop loop = new SourceLoop(Sources.of(db));
            try (SourceSession session = loop.open()) {
                loop.prepare(session);
                loop.read(session, loop.durable.splits().get(0).plan());
            }
            assertThat(loop.changes).containsExactly("r public.t id=1");
            loop.changes.clear();
            try (SourceSession session = loop.open()) {
                loop.prepare(session);
                assertThat(loop.durable.splits().stream().map(s -> s.plan().id()))
                        .containsExactly("a2/public.u/truncate", "a2/public.u/0001", "a2/log");
                loop.readSnapshot(session);
            }
            assertThat(loop.changes).containsExactly("t public.u", "r public.u id=2");
            loop.changes.clear();
            try (SourceSession session = loop.open()) {
                loop.prepare(session);
                loop.readSnapshot(session);
                assertThat(loop.changes).isEmpty();
                assertThat(loop.durable.splits())
                        .as("what is done needs no splits any more")
                        .singleElement()
                        .satisfies(split -> assertThat(split.plan().id()).isEqualTo("a3/log"));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {17})
    void theLogComesBehindEachSplitOfTheSnapshot(int version) throws Exception {
        try (SharedPostgres.Database db = SharedPostgres.version(version).fresh()) {
            db.execute("CREATE TABLE t (id int PRIMARY KEY)", "CREATE TABLE u (id int PRIMARY KEY)");
            SourceLoop loop = new SourceLoop(Sources.of(db));
            for (int attempt = 1; attempt <= 2; attempt++) {
                try (SourceSession session = loop.open()) {
                    loop.prepare(session);
                }
                assertThat(loop.log().plan().after())
                        .as("in attempt %s", attempt)
                        .isNotEmpty()
                        .containsExactlyInAnyOrderElementsOf(loop.durable.splits().stream()
                                .map(split -> split.plan().id())
                                .filter(id -> !id.equals(loop.log().plan().id()))
                                .toList());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {14, 17, 18})
    void refusesToGoOnWhenTheSlotWasMadeAgain(int version) throws Exception {
        try (SharedPostgres.Database db = SharedPostgres.version(version).fresh()) {
            SourceLoop loop = born(db);
            Lsn checkpoint = (Lsn) loop.log().plan().start();
            db.execute(
                    "SELECT pg_drop_replication_slot('s_" + db.name() + "')",
                    "INSERT INTO t VALUES (100)",
                    "SELECT pg_create_logical_replication_slot('s_" + db.name() + "', 'pgoutput')");
            assertLost(loop, "the checkpoint " + checkpoint, "s_" + db.name());
            db.execute("SELECT pg_drop_replication_slot('s_" + db.name() + "')");
            assertLost(loop, "is gone");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {14, 18})
    void refusesACheckpointBeyondTheEndOfTheLog(int version) throws Exception {
        try (SharedPostgres.Database db = SharedPostgres.version(version).fresh()) {
            SourceLoop loop = born(db);
            loop.progress(new SplitProgress(loop.log().plan().id(), Lsn.parse("FFFF/0"), false));
            assertLost(loop, "beyond the end");
        }
    }

    private static SourceLoop born(SharedPostgres.Database db) throws Exception {
        db.execute("CREATE TABLE t (id int PRIMARY KEY)");
        SourceLoop loop = new SourceLoop(Sources.of(db));
        try (SourceSession session = loop.open()) {
            loop.prepare(session);
            loop.readSnapshot(session);
        }
        return loop;
    }

    private static void assertLost(SourceLoop loop, String... parts) throws Exception {
        try (SourceSession session = loop.open()) {
            assertThatThrownBy(() -> loop.prepare(session))
                    .isInstanceOfSatisfying(
                            TidegateException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.POSITION_LOST))
                    .hasMessageContainingAll(parts);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {17})
    void takesNoSlotOfItsNameWithoutAStateUnlessTold(int version) throws Exception {
        try (SharedPostgres.Database db = SharedPostgres.version(version).fresh()) {
            db.execute(
                    "CREATE TABLE t (id int PRIMARY KEY)",
                    "CREATE PUBLICATION p FOR TABLE t",
                    "SELECT pg_create_logical_replication_slot('s_" + db.name() + "', 'pgoutput')",
                    "INSERT INTO t VALUES (1)");
            SourceLoop refused = new SourceLoop(Sources.of(db));
            try (SourceSession session = refused.open()) {
                assertThatThrownBy(() -> refused.prepare(session))
                        .isInstanceOfSatisfying(
                                TidegateException.class,
                                e -> assertThat(e.code()).isEqualTo(ErrorCode.STATE_MISSING));
            }
            SourceLoop loop = new SourceLoop(Sources.of(
                    db, "create", "false", "slot.adopt", "true", "publication.name", "p", "snapshot", "none"));
            try (SourceSession session = loop.open()) {
                loop.prepare(session);
                db.execute("INSERT INTO t VALUES (2)");
                loop.readLog(session, changes -> changes.contains("c public.t id=2"));
            }
            assertThat(loop.changes).containsExactly("c public.t id=1", "c public.t id=2");
            try (Source.Removal removal = Sources.of(db).removal(loop.durable)) {
                assertThat(removal.describe()).isEmpty();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {14, 18})
    void readsPartitionsAsRowsOfTheirRootAndQuotedNamesAsTheyAre(int version) throws Exception {
        try (SharedPostgres.Database db = SharedPostgres.version(version).fresh()) {
            db.execute(
                    "CREATE TABLE p (id int PRIMARY KEY, v text) PARTITION BY RANGE (id)",
                    "CREATE TABLE p1 PARTITION OF p FOR VALUES FROM (0) TO (10)",
                    "CREATE TABLE p2 (v text, id int NOT NULL)",
                    "ALTER TABLE p ATTACH PARTITION p2 FOR VALUES FROM (10) TO (20)",
                    "INSERT INTO p VALUES (1, 'a'), (11, 'b')",
                    "CREATE SCHEMA \"My.Schema\"",
                    "CREATE TABLE \"My.Schema\".\"Or\"\"der né#1/2\" (\"Id\" int PRIMARY KEY, \"a.b\" text,"
                            + " \"select\" int, \"a\"\"b\" text)",
                    "INSERT INTO \"My.Schema\".\"Or\"\"der né#1/2\" VALUES (1, 'x', 2, 'y')");
            SourceLoop loop = new SourceLoop(Sources.of(db, "tables", "p \"My.Schema\".\"Or\"\"der\"*"));
            try (SourceSession session = loop.open()) {
                loop.prepare(session);
                loop.readSnapshot(session);
                db.execute("INSERT INTO p VALUES (12, 'c')");
                loop.readLog(session, changes -> changes.size() >= 4);
            }
            assertThat(loop.changes)
                    .containsExactlyInAnyOrder(
                            "r My.Schema.Or\"der né#1/2 Id=1 a.b=x select=2 a\"b=y",
                            "r public.p id=1 v=a",
                            "r public.p id=11 v=b",
                            "c public.p id=12 v=c");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {17, 18})
    void givesTheColumnsAndRowsThatThePublicationGives(int version) throws Exception {
        try (SharedPostgres.Database db = SharedPostgres.version(version).fresh()) {
            db.execute(
                    "CREATE TABLE t (id int PRIMARY KEY, a text, hidden text)",
                    "INSERT INTO t VALUES (1, 'a', 'x'), (20, 'b', 'y')",
                    "CREATE PUBLICATION p FOR TABLE t (id, a) WHERE (id < 10)");
            SourceLoop loop = new SourceLoop(Sources.of(db, "publication.name", "p"));
            try (SourceSession session = loop.open()) {
                loop.prepare(session);
                loop.readSnapshot(session);
                db.execute("INSERT INTO t VALUES (2, 'c', 'x'), (21, 'd', 'y')");
                loop.readLog(session, changes -> changes.size() >= 2);
            }
            assertThat(loop.changes).containsExactly("r public.t id=1 a=a", "c public.t id=2 a=c");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {14, 17, 18})
    void callsTheAttemptVoidWhenATableWasRewrittenUnderTheSnapshot(int version) throws Exception {
        try (SharedPostgres.Database db = SharedPostgres.version(version).fresh()) {
            db.execute("CREATE TABLE t (id int PRIMARY KEY)", "INSERT INTO t VALUES (1)");
            SourceLoop loop = new SourceLoop(Sources.of(db));
            try (SourceSession session = loop.open()) {
                loop.prepare(session);
                db.execute("ALTER TABLE t ALTER id TYPE bigint");
                assertThatThrownBy(() -> loop.readSnapshot(session))
                        .isInstanceOfSatisfying(
                                TidegateException.class,
                                e -> assertThat(e.code()).isEqualTo(ErrorCode.TABLE_REWRITTEN));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {17})
    void readsAllRowsAndLeavesNothingInModeOnly(int version) throws Exception {
        try (SharedPostgres.Database db = SharedPostgres.version(version).fresh()) {
            db.execute("CREATE TABLE t (id int PRIMARY KEY)", "INSERT INTO t VALUES (1), (2)");
            SourceLoop loop = new SourceLoop(Sources.of(db, "snapshot", "only"));
            try (SourceSession session = loop.open()) {
                loop.prepare(session);
                loop.readSnapshot(session);
                assertThat(Sources.made(db)).isEmpty();
            }
            assertThat(loop.changes).containsExactly("r public.t id=1", "r public.t id=2");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {14, 17, 18})
    void listsEverythingThatIsMissingAtOnceAndCreatesNothing(int version) throws Exception {
        try (SharedPostgres.Database db = SharedPostgres.version(version).fresh()) {
            String role = "cdc_" + db.name();
            db.execute(
                    "CREATE ROLE " + role + " LOGIN PASSWORD 'x'",
                    "CREATE TABLE t1 (id int PRIMARY KEY)",
                    "CREATE TABLE t2 (id int)",
                    "CREATE SCHEMA s",
                    "CREATE TABLE s.t3 (id int PRIMARY KEY)",
                    "CREATE VIEW vw AS SELECT * FROM t1",
                    "CREATE UNLOGGED TABLE ul (id int PRIMARY KEY)",
                    "GRANT SELECT ON t1 TO " + role);
            Source source = Sources.of(
                    db,
                    "url",
                    "postgresql://" + role + ":x@127.0.0.1:" + db.server().port() + "/" + db.name(),
                    "tables",
                    "t1 t2 s.t3 vw ul missing");
            List<String> found = source.check(Checkpoint.EMPTY).stream()
                    .filter(f -> f.severity() == Finding.Severity.ERROR)
                    .map(f -> f.object() + " | " + f.cure())
                    .toList();
            assertThat(String.join("\n", found))
                    .contains(
                            "ALTER ROLE \"" + role + "\" REPLICATION;",
                            "GRANT CREATE ON DATABASE \"" + db.name() + "\" TO \"" + role + "\";",
                            "GRANT SELECT ON \"public\".\"t2\" TO \"" + role + "\";",
                            "GRANT SELECT ON \"s\".\"t3\" TO \"" + role + "\";",
                            "GRANT USAGE ON SCHEMA \"s\" TO \"" + role + "\";",
                            "ALTER TABLE \"public\".\"t1\" OWNER TO",
                            "ALTER TABLE \"public\".\"t2\" REPLICA IDENTITY FULL;",
                            "tables: missing",
                            "public.vw",
                            "public.ul");
            SourceLoop loop = new SourceLoop(source);
            try (SourceSession session = loop.open()) {
                assertThatThrownBy(() -> loop.prepare(session)).isInstanceOf(TidegateException.class);
            }
            assertThat(Sources.made(db)).isEmpty();
            db.execute("DROP OWNED BY " + role, "DROP ROLE " + role);
        }
    }

    private static Source dba(SharedPostgres.Database db, String role) {
        return Sources.of(
                db,
                "url",
                "postgresql://" + role + "@127.0.0.1:" + db.server().port() + "/" + db.name(),
                "create",
                "false",
                "slot.adopt",
                "true",
                "publication.name",
                "p");
    }

    @ParameterizedTest
    @ValueSource(ints = {14, 17, 18})
    void needsOnlySelectAndReplicationOnWhatTheAdministratorMade(int version) throws Exception {
        try (SharedPostgres.Database db = SharedPostgres.version(version).fresh()) {
            String role = "cdc_" + db.name();
            db.execute(
                    "CREATE ROLE " + role + " LOGIN REPLICATION",
                    "CREATE TABLE t (id int PRIMARY KEY)",
                    "GRANT SELECT ON t TO " + role,
                    "CREATE PUBLICATION p FOR TABLE t WITH (publish_via_partition_root = true)",
                    "SELECT pg_create_logical_replication_slot('s_" + db.name() + "', 'pgoutput')",
                    "INSERT INTO t VALUES (1)");
            SourceLoop loop = new SourceLoop(dba(db, role));
            try (SourceSession session = loop.open()) {
                loop.prepare(session);
                loop.readSnapshot(session);
                db.execute("INSERT INTO t VALUES (2)");
                loop.readLog(session, changes -> changes.size() >= 2);
            }
            // The insert of row 1 lies in the log too, below H: it is left out there.
            assertThat(loop.changes).containsExactly("r public.t id=1", "c public.t id=2");
            db.execute("DROP OWNED BY " + role);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {14, 17, 18})
    void failsInsteadOfReadingOnlyTheRowsThatAPolicyShows(int version) throws Exception {
        try (SharedPostgres.Database db = SharedPostgres.version(version).fresh()) {
            String role = "cdc_" + db.name();
            db.execute(
                    "CREATE ROLE " + role + " LOGIN REPLICATION",
                    "CREATE TABLE t (id int PRIMARY KEY)",
                    "INSERT INTO t SELECT generate_series(1, 9)",
                    "ALTER TABLE t ENABLE ROW LEVEL SECURITY",
                    "CREATE POLICY visible ON t USING (id <= 3)",
                    "GRANT SELECT ON t TO " + role,
                    "CREATE PUBLICATION p FOR TABLE t",
                    "SELECT pg_create_logical_replication_slot('s_" + db.name() + "', 'pgoutput')");
            SourceLoop loop = new SourceLoop(dba(db, role));
            try (SourceSession session = loop.open()) {
                loop.prepare(session);
                assertThatThrownBy(() -> loop.readSnapshot(session))
                        .isInstanceOfSatisfying(
                                TidegateException.class,
                                e -> assertThat(e.code()).isEqualTo(ErrorCode.PERMISSION))
                        .hasMessageContaining("row-level security");
            }
            assertThat(loop.changes).isEmpty();
            db.execute("DROP OWNED BY " + role);
        }
    }
}
