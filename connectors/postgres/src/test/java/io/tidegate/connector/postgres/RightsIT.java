package io.tidegate.connector.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tidegate.connector.postgres.value.Seen;
import io.tidegate.spi.Checkpoint;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.Finding;
import io.tidegate.spi.Source;
import io.tidegate.spi.SourceSession;
import io.tidegate.spi.TidegateException;
import io.tidegate.testkit.await.Await;
import io.tidegate.testkit.postgres.PostgresServer;
import io.tidegate.testkit.postgres.SharedPostgres;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a role needs, what it does not, and that everything that is missing is said at once. */
class RightsIT {

    @ParameterizedTest
    @ValueSource(ints = {14, 17, 18})
    void theRightToReadThePublishedColumnsIsEnough(int version) throws Exception {
        try (SharedPostgres.Database db = SharedPostgres.version(version).fresh()) {
            String role = "cdc_" + db.name();
            boolean lists = version >= 15;
            db.execute(
                    "CREATE ROLE " + role + " LOGIN REPLICATION",
                    "CREATE TABLE t (id int PRIMARY KEY, a text, f int" + (lists ? ", secret text" : "") + ")",
                    "INSERT INTO t (id, a, f) SELECT g, repeat('x', 1000), g FROM generate_series(1, 3000) g",
                    "GRANT SELECT (id, a) ON t TO " + role,
                    "CREATE PUBLICATION p FOR TABLE t"
                            + (lists ? " (id, a) WHERE (f > 0) WITH (publish = 'insert, truncate')" : ""),
                    "SELECT pg_create_logical_replication_slot('s_" + db.name() + "', 'pgoutput')");
            Source source = Sources.as(
                    role,
                    db,
                    "create",
                    "false",
                    "slot.adopt",
                    "true",
                    "publication.name",
                    "p",
                    "publication.accept_partial",
                    "true");
            assertThat(Sources.errors(source.check(Checkpoint.EMPTY)))
                    .as("the row filter's column, or the third published one, is missing")
                    .singleElement()
                    .asString()
                    .contains("TG-PERMISSION", "GRANT SELECT ON \"public\".\"t\" TO \"" + role + "\";");
            db.execute("GRANT SELECT (f) ON t TO " + role);
            assertThat(source.check(Checkpoint.EMPTY)).isEmpty();
            SourceLoop loop = Sources.born(source);
            assertThat(loop.changes).hasSize(3000).doesNotHaveDuplicates().noneMatch(text -> text.contains("secret"));
            db.execute("DROP OWNED BY " + role);
        }
    }

    @Test
    void oneReportHasEverythingThatIsMissingWithItsStatementAndNothingIsMade() throws Exception {
        try (PostgresServer server = PostgresServer.version(17)
                .setting("wal_level", "replica")
                .setting("max_replication_slots", "1")
                .setting("max_wal_senders", "1")
                .setting("wal_sender_timeout", "1s")
                .start()) {
            server.execute(
                    "CREATE ROLE app_owner",
                    "CREATE ROLE cdc LOGIN PASSWORD 'x'",
                    "CREATE TABLE t1 (id int PRIMARY KEY)",
                    "CREATE TABLE t2 (id int PRIMARY KEY)",
                    "ALTER TABLE t1 OWNER TO app_owner",
                    "ALTER TABLE t2 OWNER TO app_owner",
                    "GRANT SELECT ON t1 TO cdc",
                    "SELECT pg_create_physical_replication_slot('other')");
            // Without a standby each commit waits for one from here on.
            server.execute("ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()");
            Await.until(
                    "the setting to be read",
                    Duration.ofSeconds(10),
                    () -> server.query("SHOW synchronous_standby_names").contains("*"));
            Source source = Sources.of(
                    server, "url", "postgresql://cdc@127.0.0.1:" + server.port() + "/postgres", "tables", "t1 t2");
            List<Finding> findings = source.check(Checkpoint.EMPTY);
            assertThat(Sources.errors(findings))
                    .anyMatch(text -> text.contains("ALTER SYSTEM SET wal_level = 'logical'"))
                    .anyMatch(text -> text.contains("is 1, of which 1 are used; 2 more are needed")
                            && text.contains("ALTER SYSTEM SET max_replication_slots = 5"))
                    .anyMatch(text -> text.contains("is 1, of which 0 are used; 2 more are needed")
                            && text.contains("ALTER SYSTEM SET max_wal_senders = 4"))
                    .anyMatch(text -> text.startsWith("TG-SYNCHRONOUS-STANDBY") && text.contains("'tidegate shop'"))
                    .anyMatch(text -> text.contains("ALTER ROLE \"cdc\" REPLICATION;"))
                    .anyMatch(text -> text.contains("GRANT CREATE ON DATABASE \"postgres\" TO \"cdc\";"))
                    .anyMatch(text -> text.contains("GRANT SELECT ON \"public\".\"t2\" TO \"cdc\";"))
                    .anyMatch(text -> text.contains("ALTER TABLE \"public\".\"t1\" OWNER TO \"cdc\";"))
                    .anyMatch(text -> text.contains("ALTER TABLE \"public\".\"t2\" OWNER TO \"cdc\";"))
                    .hasSize(9);
            assertThat(Sources.warnings(findings)).singleElement().asString().contains("is 1000 ms");
            SourceLoop loop = new SourceLoop(source);
            try (SourceSession session = loop.open()) {
                assertThatThrownBy(() -> loop.prepare(session))
                        .isInstanceOfSatisfying(
                                TidegateException.class,
                                e -> assertThat(e.code()).isEqualTo(ErrorCode.PREFLIGHT))
                        .hasMessageContainingAll("9 things are missing", "wal_level", "GRANT SELECT ON", "OWNER TO");
            }
            assertThat(loop.durable.isEmpty()).isTrue();
            assertThat(server.query("SELECT slot_name FROM pg_replication_slots"))
                    .containsExactly("other");
            assertThat(server.query("SELECT pubname FROM pg_publication")).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {14, 18})
    void withoutCreateNoStatementChangesTheDatabase(int version) throws Exception {
        try (SharedPostgres.Database db = SharedPostgres.version(version).fresh()) {
            String role = "cdc_" + db.name();
            db.execute(
                    "CREATE ROLE " + role + " LOGIN REPLICATION",
                    "CREATE TABLE t (id int PRIMARY KEY)",
                    "CREATE TABLE keyless (id int)",
                    "GRANT SELECT ON t, keyless TO " + role,
                    "CREATE PUBLICATION p FOR TABLE t, keyless",
                    "SELECT pg_create_logical_replication_slot('s_" + db.name() + "', 'pgoutput')",
                    "INSERT INTO t VALUES (1)",
                    "INSERT INTO keyless VALUES (2)");
            Source source = Sources.as(role, db, "create", "false", "slot.adopt", "true", "publication.name", "p");
            List<Finding> findings = source.check(Checkpoint.EMPTY);
            assertThat(Sources.errors(findings)).isEmpty();
            assertThat(Sources.warnings(findings)).singleElement().asString().contains("public.keyless");
            List<String> before = catalogue(db);
            SourceLoop loop = Sources.born(source);
            try (SourceSession session = loop.open()) {
                loop.prepare(session);
                db.execute("INSERT INTO keyless VALUES (3)");
                loop.readLog(session, changes -> changes.contains("c public.keyless id=3"));
            }
            assertThat(loop.changes)
                    .containsExactlyInAnyOrder("r public.t id=1", "r public.keyless id=2", "c public.keyless id=3");
            assertThat(catalogue(db)).isEqualTo(before);
            try (Source.Removal removal = source.removal(loop.durable)) {
                assertThat(removal.describe()).isEmpty();
                removal.execute();
            }
            assertThat(catalogue(db)).isEqualTo(before);
            db.execute("DROP OWNED BY " + role);
        }
    }

    /** What a statement of ours could change, with the transactions that changed it. */
    private static List<String> catalogue(SharedPostgres.Database db) throws SQLException {
        return db.query("SELECT oid || ' ' || xmin || ' ' || relreplident::text FROM pg_class WHERE oid >= 16384"
                + " UNION ALL SELECT oid || ' ' || xmin FROM pg_publication"
                + " UNION ALL SELECT oid || ' ' || xmin FROM pg_publication_rel"
                + " UNION ALL SELECT slot_name FROM pg_replication_slots WHERE database = current_database()"
                + " ORDER BY 1");
    }

    @ParameterizedTest
    @ValueSource(ints = {17})
    void aRoleIsRefusedByTryingNotByItsAttribute(int version) throws Exception {
        try (SharedPostgres.Database db = SharedPostgres.version(version).fresh()) {
            String role = "cdc_" + db.name();
            db.execute(
                    "CREATE ROLE " + role + " LOGIN",
                    "CREATE TABLE t (id int PRIMARY KEY)",
                    "GRANT SELECT ON t TO " + role);
            Source source = Sources.as(role, db, "snapshot", "only");
            assertThat(Sources.errors(source.check(Checkpoint.EMPTY)))
                    .singleElement()
                    .asString()
                    .contains("cannot open a replication connection", "ALTER ROLE \"" + role + "\" REPLICATION;");
            db.execute("ALTER ROLE " + role + " REPLICATION");
            assertThat(source.check(Checkpoint.EMPTY)).isEmpty();
            db.execute("DROP OWNED BY " + role, "DROP ROLE " + role);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {14, 18})
    void tablesThatAreNotInTheLogAreNamedAndNothingElseIsLeftOut(int version) throws Exception {
        try (SharedPostgres.Database db = SharedPostgres.version(version).fresh();
                Connection other = db.connect();
                Statement statement = other.createStatement()) {
            statement.execute("CREATE TEMPORARY TABLE temporary (id int PRIMARY KEY)");
            db.execute(
                    "CREATE TABLE t (id int PRIMARY KEY)",
                    "CREATE UNLOGGED TABLE unlogged (id int PRIMARY KEY)",
                    "CREATE VIEW plain_view AS SELECT * FROM t",
                    "CREATE MATERIALIZED VIEW material AS SELECT * FROM t",
                    "CREATE EXTENSION file_fdw",
                    "CREATE SERVER files FOREIGN DATA WRAPPER file_fdw",
                    "CREATE FOREIGN TABLE far (id int) SERVER files OPTIONS (filename '/dev/null')");
            List<String> names = List.of("unlogged", "plain_view", "material", "far");
            List<Finding> wild = Sources.of(db).check(Checkpoint.EMPTY);
            assertThat(Sources.errors(wild)).isEmpty();
            assertThat(Sources.warnings(wild))
                    .hasSize(5)
                    .allMatch(text -> text.contains("not in the log; it is left out"))
                    .anyMatch(text -> text.contains("public.unlogged | is an unlogged table"))
                    .anyMatch(text -> text.contains("public.plain_view | is a view"))
                    .anyMatch(text -> text.contains("public.material | is a materialized view"))
                    .anyMatch(text -> text.contains("public.far | is a foreign table"))
                    .anyMatch(text -> text.contains(".temporary | is a temporary table"));
            Source exact = Sources.of(db, "tables", "t " + String.join(" ", names));
            assertThat(Sources.errors(exact.check(Checkpoint.EMPTY)))
                    .hasSize(4)
                    .allMatch(text ->
                            names.stream().anyMatch(name -> text.contains("take " + name + " out of 'tables'")));
            SourceLoop loop = Sources.born(Sources.of(db));
            assertThat(loop.durable.splits().stream().map(split -> split.plan().id()))
                    .containsExactly("a1/public.t/0001", "a1/log");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {14, 18})
    void aTableOfWhichNothingIdentifiesARowIsPublishedWithItsInsertsOnlyOrRefused(int version) throws Exception {
        try (SharedPostgres.Database db = SharedPostgres.version(version).fresh()) {
            db.execute(
                    "CREATE TABLE r0 (id int, body text)",
                    "CREATE TABLE r1 (id int PRIMARY KEY, u int NOT NULL, v text)",
                    "CREATE UNIQUE INDEX r1u ON r1 (u)",
                    "ALTER TABLE r1 REPLICA IDENTITY USING INDEX r1u",
                    "CREATE TABLE r2 (id int, v text)",
                    "ALTER TABLE r2 REPLICA IDENTITY FULL",
                    "CREATE TABLE r3 (id int PRIMARY KEY, v text)",
                    "ALTER TABLE r3 REPLICA IDENTITY NOTHING");
            assertThat(Sources.errors(Sources.of(db).check(Checkpoint.EMPTY)))
                    .hasSize(2)
                    .anyMatch(text -> text.contains("ALTER TABLE \"public\".\"r0\" REPLICA IDENTITY FULL;"))
                    .anyMatch(text -> text.contains("ALTER TABLE \"public\".\"r3\" REPLICA IDENTITY FULL;"));
            SourceLoop refused = new SourceLoop(Sources.of(db));
            Sources.refuses(refused, ErrorCode.PREFLIGHT, "public.r0", "public.r3");
            assertThat(Sources.made(db)).isEmpty();
            db.execute("CREATE PUBLICATION p FOR TABLE r0, r3 WITH (publish = 'insert, truncate')");
            Source inserts =
                    Sources.of(db, "publication.name", "p", "tables", "r0 r3", "publication.accept_partial", "true");
            assertThat(inserts.check(Checkpoint.EMPTY)).isEmpty();
            assertThat(Sources.errors(Sources.of(db, "publication.name", "p", "tables", "r0 r3")
                            .check(Checkpoint.EMPTY)))
                    .singleElement()
                    .asString()
                    .contains("leaves out update, delete");
            SourceLoop loop = Sources.born(inserts);
            try (SourceSession session = loop.open()) {
                loop.prepare(session);
                db.execute(
                        "INSERT INTO r0 VALUES (1, 'a')",
                        "UPDATE r0 SET body = 'b'",
                        "DELETE FROM r3",
                        "INSERT INTO r3 VALUES (1, 'x')");
                loop.readLog(session, changes -> changes.size() >= 2);
            }
            assertThat(loop.changes).containsExactly("c public.r0 id=1 body=a", "c public.r3 id=1 v=x");
            assertThat(loop.taken.get(0).table().key()).isEmpty();
            assertThat(loop.taken.get(1).table().key()).containsExactly(0);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {14, 18})
    void keyAndOldRowFollowTheReplicaIdentity(int version) throws Exception {
        try (SharedPostgres.Database db = SharedPostgres.version(version).fresh()) {
            db.execute(
                    "CREATE TABLE r1 (id int PRIMARY KEY, u int NOT NULL, v text)",
                    "CREATE UNIQUE INDEX r1u ON r1 (u)",
                    "ALTER TABLE r1 REPLICA IDENTITY USING INDEX r1u",
                    "CREATE TABLE r2 (id int, v text)",
                    "ALTER TABLE r2 REPLICA IDENTITY FULL",
                    "INSERT INTO r1 VALUES (1, 10, 'a')",
                    "INSERT INTO r2 VALUES (1, 'a'), (1, 'a')");
            SourceLoop loop = Sources.born(Sources.of(db));
            assertThat(loop.changes)
                    .containsExactly("r public.r1 id=1 u=10 v=a", "r public.r2 id=1 v=a", "r public.r2 id=1 v=a");
            assertThat(loop.taken.get(0).table().key()).containsExactly(1);
            try (SourceSession session = loop.open()) {
                loop.prepare(session);
                db.execute("UPDATE r1 SET v = 'b'", "UPDATE r1 SET u = 11", "DELETE FROM r1", "DELETE FROM r2");
                loop.readLog(session, changes -> changes.size() >= 8);
            }
            assertThat(loop.changes.subList(3, 8))
                    .containsExactly(
                            "u public.r1 id=1 u=10 v=b",
                            "u public.r1 id=1 u=11 v=b",
                            "d public.r1 id=ABSENT u=11 v=ABSENT",
                            "d public.r2 id=1 v=a",
                            "d public.r2 id=1 v=a");
            assertThat(loop.taken.get(3).before()).as("the key stayed").isNull();
            assertThat(Seen.of(Objects.requireNonNull(loop.taken.get(4).before()), 1))
                    .isEqualTo("int:10");
            assertThat(loop.taken.get(4).table().key()).containsExactly(1);
            assertThat(loop.taken.get(6).table().key()).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {17})
    void theRightToReadIsAskedForUntilTheSnapshotIsComplete(int version) throws Exception {
        try (SharedPostgres.Database db = SharedPostgres.version(version).fresh()) {
            String role = "cdc_" + db.name();
            db.execute(
                    "CREATE ROLE " + role + " LOGIN REPLICATION",
                    "CREATE TABLE t (id int PRIMARY KEY)",
                    "GRANT SELECT ON t TO " + role,
                    "CREATE PUBLICATION p FOR TABLE t",
                    "SELECT pg_create_logical_replication_slot('s_" + db.name() + "', 'pgoutput')");
            Source source = Sources.as(role, db, "create", "false", "slot.adopt", "true", "publication.name", "p");
            SourceLoop loop = new SourceLoop(source);
            try (SourceSession session = loop.open()) {
                loop.prepare(session);
                db.execute("REVOKE SELECT ON t FROM " + role, "CREATE TABLE newcomer (id int PRIMARY KEY)");
                assertThat(Sources.errors(source.check(loop.durable)))
                        .singleElement()
                        .asString()
                        .contains("GRANT SELECT ON \"public\".\"t\" TO \"" + role + "\";");
                db.execute("GRANT SELECT ON t TO " + role);
                assertThat(Sources.errors(source.check(loop.durable))).isEmpty();
                loop.readSnapshot(session);
                db.execute("REVOKE SELECT ON t FROM " + role);
                assertThat(Sources.errors(source.check(loop.durable))).isEmpty();
            }
            db.execute("DROP OWNED BY " + role);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {17})
    void aSlotWithoutAStateIsNamedWithTheStatementThatDropsIt(int version) throws Exception {
        try (SharedPostgres.Database db = SharedPostgres.version(version).fresh()) {
            String drop = "SELECT pg_drop_replication_slot('s_" + db.name() + "');";
            db.execute(
                    "CREATE TABLE t (id int PRIMARY KEY)",
                    "SELECT pg_create_logical_replication_slot('s_" + db.name() + "', 'pgoutput')");
            assertThat(Sources.errors(Sources.of(db).check(Checkpoint.EMPTY)))
                    .singleElement()
                    .asString()
                    .startsWith("TG-STATE-MISSING")
                    .endsWith(drop);
            Sources.refuses(new SourceLoop(Sources.of(db)), ErrorCode.STATE_MISSING, drop);
            db.execute(drop);
            assertThat(Sources.of(db).check(Checkpoint.EMPTY)).isEmpty();
        }
    }
}
