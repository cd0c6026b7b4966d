package io.tidegate.connector.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tidegate.connector.postgres.birth.Continuity;
import io.tidegate.connector.postgres.config.PostgresConfig;
import io.tidegate.connector.postgres.log.TakenOutput;
import io.tidegate.connector.postgres.position.Lsn;
import io.tidegate.connector.postgres.server.Connections;
import io.tidegate.connector.postgres.server.SqlSession;
import io.tidegate.connector.postgres.wire.ReplicationConnection;
import io.tidegate.spi.Checkpoint;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.Finding;
import io.tidegate.spi.Source;
import io.tidegate.spi.SourceSession;
import io.tidegate.spi.SplitProgress;
import io.tidegate.spi.SplitReader;
import io.tidegate.spi.TidegateException;
import io.tidegate.testkit.await.Await;
import io.tidegate.testkit.postgres.SharedPostgres;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a pipeline with a state does when the configuration or the database is not what it was. */
class ResumeIT {

    private static final Duration LIMIT = Duration.ofSeconds(20);

    @ParameterizedTest
    @ValueSource(ints = {14, 18})
    void warnsOnceThatATableWhichNewlyMatchesIsNotCaptured(int version) throws Exception {
        try (SharedPostgres.Database db = SharedPostgres.version(version).fresh();
                Warnings warnings = new Warnings()) {
            db.execute(
                    "CREATE TABLE a (id int PRIMARY KEY)",
                    "CREATE TABLE p (id int PRIMARY KEY) PARTITION BY RANGE (id)");
            SourceLoop loop = Sources.born(Sources.of(db));
            db.execute(
                    "CREATE TABLE newcomer (id int PRIMARY KEY)",
                    "CREATE TABLE p1 PARTITION OF p FOR VALUES FROM (0) TO (10)");
            try (SourceSession session = loop.open()) {
                loop.prepare(session);
                session.tend();
                session.tend();
                assertThat(loop.measures).containsEntry("tables_not_captured", 1.0);
                db.execute("CREATE TABLE later (id int PRIMARY KEY)");
                session.tend();
                assertThat(loop.measures).containsEntry("tables_not_captured", 1.0);
                loop.skippedNanos = Duration.ofSeconds(61).toNanos();
                session.tend();
                assertThat(loop.measures).containsEntry("tables_not_captured", 2.0);
                db.execute("INSERT INTO newcomer VALUES (1)", "INSERT INTO p VALUES (2)");
                loop.readLog(session, changes -> changes.contains("c public.p id=2"));
            }
            assertThat(warnings.texts)
                    .hasSize(2)
                    .allMatch(text -> text.contains("shop") && text.contains("auto_add: true"))
                    .anyMatch(text -> text.contains("public.newcomer is not captured"))
                    .anyMatch(text -> text.contains("public.later is not captured"));
            assertThat(loop.changes).containsExactly("c public.p id=2");
            List<Finding> findings = Sources.of(db).check(loop.durable);
            assertThat(Sources.errors(findings)).isEmpty();
            assertThat(Sources.warnings(findings))
                    .hasSize(2)
                    .allMatch(text -> text.contains("is not captured"))
                    .anyMatch(text -> text.contains("public.newcomer"));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {14, 17, 18})
    void checkFindsEverythingThatASessionWouldStopWith(int version) throws Exception {
        try (SharedPostgres.Database db = SharedPostgres.version(version).fresh()) {
            db.execute("CREATE TABLE t (id int PRIMARY KEY)");
            Source source = Sources.of(db);
            SourceLoop loop = Sources.born(source);
            assertThat(source.check(loop.durable)).isEmpty();
            try (SourceSession session = loop.open()) {
                loop.prepare(session);
                try (SplitReader reader =
                        session.open(loop.log().plan(), loop.log().progress().position())) {
                    db.execute("INSERT INTO t VALUES (1)");
                    TakenOutput out = new TakenOutput(100);
                    Await.until("the commit", LIMIT, () -> {
                        reader.poll(out, Duration.ofMillis(100));
                        return out.changes().size() == 1 && !out.markers().isEmpty();
                    });
                    SplitProgress settled = new SplitProgress(
                            loop.log().plan().id(),
                            out.markers().get(out.markers().size() - 1),
                            false);
                    Await.until("the confirmation", LIMIT, () -> reader.acknowledge(settled));
                    String stale = String.valueOf(loop.log().plan().start());
                    Await.until(
                            "the slot to move",
                            LIMIT,
                            () -> db.query("SELECT confirmed_flush_lsn > '" + stale
                                            + "' FROM pg_replication_slots WHERE slot_name = 's_" + db.name() + "'")
                                    .contains("t"));
                    assertThat(source.check(loop.durable))
                            .as("of the checkpoint of a moment ago, while it runs")
                            .isEmpty();
                    loop.progress(settled);
                }
            }
            Checkpoint good = loop.durable;
            loop.durable = new Checkpoint(good.source().with("system.id", "4711"), good.splits());
            db.execute(
                    "ALTER PUBLICATION tidegate_shop DROP TABLE t",
                    "SELECT pg_drop_replication_slot('s_" + db.name() + "')");
            assertThat(Sources.errors(source.check(loop.durable)))
                    .hasSize(3)
                    .anyMatch(text -> text.contains("another server") && text.contains("4711"))
                    .anyMatch(text -> text.contains("s_" + db.name() + " is gone"))
                    .anyMatch(text -> text.startsWith("TG-TABLE-LOST") && text.contains("public.t"));
            Sources.refuses(loop, ErrorCode.POSITION_LOST, "another server");
            db.execute("SELECT pg_create_logical_replication_slot('s_" + db.name() + "', 'pgoutput')");
            assertThat(Sources.errors(source.check(good)))
                    .anyMatch(text -> text.contains(
                            "after the checkpoint " + loop.log().progress().position()));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {14, 18})
    void makesAPublicationAgainOnlyIfItIsExactlyTheOneThatItWouldMake(int version) throws Exception {
        List<String> strangers = new ArrayList<>(List.of(
                "CREATE PUBLICATION tidegate_shop FOR TABLE t",
                "CREATE PUBLICATION tidegate_shop FOR ALL TABLES WITH (publish_via_partition_root = true)",
                "CREATE PUBLICATION tidegate_shop FOR TABLE t, u WITH (publish_via_partition_root = true)",
                "CREATE PUBLICATION tidegate_shop FOR TABLE t WITH (publish = 'insert, truncate',"
                        + " publish_via_partition_root = true)"));
        if (version >= 15) {
            strangers.add("CREATE PUBLICATION tidegate_shop FOR TABLE t (id) WITH (publish_via_partition_root = true)");
            strangers.add("CREATE PUBLICATION tidegate_shop FOR TABLE t WHERE (id > 1) WITH"
                    + " (publish_via_partition_root = true)");
        }
        try (SharedPostgres.Database db = SharedPostgres.version(version).fresh()) {
            db.execute("CREATE TABLE t (id int PRIMARY KEY)", "CREATE TABLE u (id int PRIMARY KEY)");
            SourceLoop loop = new SourceLoop(Sources.of(db, "tables", "t"));
            try (SourceSession session = loop.open()) {
                loop.step(session);
            }
            for (String stranger : strangers) {
                db.execute(stranger);
                Sources.refuses(loop, ErrorCode.PUBLICATION, "tidegate_shop");
                assertThat(Sources.made(db)).containsExactly("publication tidegate_shop");
                db.execute("DROP PUBLICATION tidegate_shop");
            }
            String ours = "CREATE PUBLICATION tidegate_shop FOR TABLE t WITH (publish_via_partition_root = true)";
            String role = "owner_" + db.name();
            db.execute(ours, "CREATE ROLE " + role + " SUPERUSER", "ALTER PUBLICATION tidegate_shop OWNER TO " + role);
            Sources.refuses(loop, ErrorCode.PUBLICATION, "another role");
            db.execute("ALTER PUBLICATION tidegate_shop OWNER TO postgres", "DROP ROLE " + role);
            try (SourceSession session = loop.open()) {
                loop.prepare(session);
                loop.readSnapshot(session);
            }
            assertThat(Sources.made(db)).containsExactly("publication tidegate_shop", "slot s_" + db.name());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {17})
    void aSlotThatWasReadByAnotherPastTheCheckpointIsALostPosition(int version) throws Exception {
        try (SharedPostgres.Database db = SharedPostgres.version(version).fresh()) {
            db.execute("CREATE TABLE t (id int PRIMARY KEY)");
            SourceLoop loop = Sources.born(Sources.of(db));
            db.execute(
                    "INSERT INTO t VALUES (1)",
                    "SELECT pg_replication_slot_advance('s_" + db.name() + "', pg_current_wal_lsn())");
            Lsn checkpoint = (Lsn) loop.log().plan().start();
            Sources.refuses(loop, ErrorCode.POSITION_LOST, "after the checkpoint " + checkpoint);
            loop.progress(new SplitProgress(
                    loop.log().plan().id(),
                    Lsn.parse(db.query("SELECT confirmed_flush_lsn FROM pg_replication_slots WHERE slot_name = 's_"
                                    + db.name() + "'")
                            .get(0)),
                    false));
            try (SourceSession session = loop.open()) {
                loop.prepare(session);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {17})
    void readsOnlyWhileItsOwnWalsenderHasTheSlot(int version) throws Exception {
        try (SharedPostgres.Database db = SharedPostgres.version(version).fresh()) {
            db.execute("CREATE TABLE t (id int PRIMARY KEY)");
            SourceLoop loop = Sources.born(Sources.of(db));
            PostgresConfig config = Sources.config(db);
            Lsn start = (Lsn) Objects.requireNonNull(loop.log().plan().start());
            try (SourceSession session = loop.open();
                    Connections connections = new Connections(config.server());
                    SqlSession control = connections.control()) {
                loop.prepare(session);
                try (SplitReader reader = session.open(loop.log().plan(), start)) {
                    int walsender = Integer.parseInt(
                            db.query("SELECT active_pid FROM pg_replication_slots WHERE active AND slot_name = 's_"
                                            + db.name() + "'")
                                    .get(0));
                    Continuity continuity = new Continuity(config);
                    continuity.reading(control, walsender, start);
                    assertThatThrownBy(() -> continuity.reading(control, walsender + 1, start))
                            .isInstanceOfSatisfying(
                                    TidegateException.class,
                                    e -> assertThat(e.code()).isEqualTo(ErrorCode.SLOT_ACTIVE))
                            .hasMessageContainingAll("pid " + walsender, "application tidegate shop");
                    assertThat(reader).isNotNull();
                }
            }
        }
    }

    /** What was seen before START can be wrong at START: somebody read in between, and is gone again. */
    @ParameterizedTest
    @ValueSource(ints = {17})
    void aSlotThatMovedSinceItWasLookedAtIsSeenOnceItIsRead(int version) throws Exception {
        try (SharedPostgres.Database db = SharedPostgres.version(version).fresh()) {
            db.execute("CREATE TABLE t (id int PRIMARY KEY)");
            SourceLoop loop = Sources.born(Sources.of(db));
            PostgresConfig config = Sources.config(db);
            Lsn start = (Lsn) Objects.requireNonNull(loop.log().plan().start());
            try (Connections connections = new Connections(config.server());
                    SqlSession control = connections.control()) {
                Continuity continuity = new Continuity(config);
                continuity.slot(control, start).refuseActive();
                db.execute(
                        "INSERT INTO t VALUES (1)",
                        "SELECT pg_replication_slot_advance('s_" + db.name() + "', pg_current_wal_lsn())");
                ReplicationConnection connection = connections.replication();
                connection.startReplication(config.slot(), start, List.of(config.publication()), false, 1 << 20);
                assertThatThrownBy(() -> continuity.reading(control, connection.backendPid(), start))
                        .isInstanceOfSatisfying(
                                TidegateException.class,
                                e -> assertThat(e.code()).isEqualTo(ErrorCode.POSITION_LOST));
                connection.close();
            }
        }
    }
}
