package io.tidegate.connector.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.Preparation;
import io.tidegate.spi.Source;
import io.tidegate.spi.SourceSession;
import io.tidegate.spi.SplitReader;
import io.tidegate.spi.TidegateException;
import io.tidegate.testkit.await.Await;
import io.tidegate.testkit.postgres.PostgresServer;
import io.tidegate.testkit.postgres.SharedPostgres;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a running session notices by itself, and that it can be ended while it waits. */
class TendIT {

    private static final Duration LIMIT = Duration.ofSeconds(20);

    private static void ends(SourceSession session, ErrorCode code, String... parts) {
        long start = System.nanoTime();
        assertThatThrownBy(session::tend)
                .isInstanceOfSatisfying(
                        TidegateException.class,
                        e -> assertThat(e.code()).as(e.describe()).isEqualTo(code))
                .hasMessageContainingAll(parts);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
    }

    private static void endOurSessions(SharedPostgres.Database db) throws SQLException {
        db.query("SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = current_database()"
                + " AND application_name = 'tidegate shop'");
    }

    @ParameterizedTest
    @ValueSource(ints = {14, 18})
    void opensTheControlConnectionAgainOnceAndEndsWithinFiveSecondsWhereItIsRefused(int version) throws Exception {
        try (SharedPostgres.Database db = SharedPostgres.version(version).fresh()) {
            db.execute("CREATE TABLE t (id int PRIMARY KEY)");
            SourceLoop loop = Sources.born(Sources.of(db));
            try (SourceSession session = loop.open()) {
                loop.prepare(session);
                endOurSessions(db);
                assertThat(session.tend()).isEmpty();
                endOurSessions(db);
                db.server().execute("ALTER DATABASE " + db.name() + " ALLOW_CONNECTIONS false");
                ends(session, ErrorCode.SOURCE_UNAVAILABLE, "the control connection was lost");
                db.server().execute("ALTER DATABASE " + db.name() + " ALLOW_CONNECTIONS true");
            }
        }
    }

    @Test
    void endsWithinFiveSecondsWhenTheServerIsGone() throws Exception {
        try (PostgresServer server = PostgresServer.version(17).start()) {
            server.execute("CREATE TABLE t (id int PRIMARY KEY)");
            SourceLoop loop = Sources.born(Sources.of(server));
            try (SourceSession session = loop.open()) {
                loop.prepare(session);
                server.kill();
                ends(session, ErrorCode.SOURCE_UNAVAILABLE, "the control connection was lost");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {17})
    void onlySaysThatAServerIsFull(int version) throws Exception {
        try (SharedPostgres.Database db = SharedPostgres.version(version).fresh()) {
            String role = "cdc_" + db.name();
            db.execute(
                    "CREATE ROLE " + role + " LOGIN REPLICATION",
                    "GRANT CREATE ON DATABASE " + db.name() + " TO " + role,
                    "CREATE TABLE t (id int PRIMARY KEY)",
                    "ALTER TABLE t OWNER TO " + role);
            SourceLoop loop = Sources.born(Sources.as(role, db));
            try (SourceSession session = loop.open()) {
                loop.prepare(session);
                db.execute("ALTER ROLE " + role + " CONNECTION LIMIT 0");
                endOurSessions(db);
                assertThat(session.tend()).isEmpty();
                assertThat(session.tend()).isEmpty();
                assertThat(loop.doing).anyMatch(text -> text.contains("no connection left for watching the slot"));
                db.execute("ALTER ROLE " + role + " CONNECTION LIMIT -1");
                assertThat(session.tend()).isEmpty();
                assertThat(loop.measures).containsKey("retained_bytes");
            }
            db.execute("DROP PUBLICATION tidegate_shop", "DROP OWNED BY " + role);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {14, 18})
    void aSlotThatIsDroppedWhileItIsReadIsALostPosition(int version) throws Exception {
        try (SharedPostgres.Database db = SharedPostgres.version(version).fresh()) {
            db.execute("CREATE TABLE t (id int PRIMARY KEY)");
            SourceLoop loop = Sources.born(Sources.of(db));
            String slot = "pg_replication_slots WHERE slot_name = 's_" + db.name() + "'";
            try (SourceSession session = loop.open()) {
                loop.prepare(session);
                try (SplitReader reader =
                        session.open(loop.log().plan(), loop.log().progress().position())) {
                    assertThat(session.tend()).isEmpty();
                    db.query("SELECT pg_terminate_backend(active_pid, 10000) FROM " + slot);
                    db.query("SELECT pg_drop_replication_slot(slot_name) FROM " + slot);
                    ends(session, ErrorCode.POSITION_LOST, "s_" + db.name() + " is gone");
                    reader.abort();
                }
            }
            Sources.refuses(loop, ErrorCode.POSITION_LOST, "is gone");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {14, 17, 18})
    void aTableThatTheApplicationHasLockedHoldsUpNeitherTheStartNorTheWatch(int version) throws Exception {
        try (SharedPostgres.Database db = SharedPostgres.version(version).fresh();
                Connection other = db.connect();
                Statement statement = other.createStatement()) {
            db.execute("CREATE TABLE t (id int PRIMARY KEY)", "CREATE TABLE u (id int PRIMARY KEY)");
            SourceLoop loop = Sources.born(Sources.of(db));
            other.setAutoCommit(false);
            statement.execute("LOCK TABLE t IN ACCESS EXCLUSIVE MODE");
            try (SourceSession session = loop.open()) {
                loop.prepare(session);
                assertThat(session.tend()).isEmpty();
                db.execute("INSERT INTO u VALUES (1)");
                loop.readLog(session, changes -> changes.contains("c public.u id=1"));
            }
            assertThat(loop.changes).containsExactly("c public.u id=1");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {14, 18})
    void endsToPlanAnewWhenATableIsTakenOutOfThePublication(int version) throws Exception {
        try (SharedPostgres.Database db = SharedPostgres.version(version).fresh()) {
            db.execute("CREATE TABLE t (id int PRIMARY KEY)", "CREATE TABLE u (id int PRIMARY KEY)");
            SourceLoop loop = Sources.born(Sources.of(db));
            try (SourceSession session = loop.open()) {
                loop.prepare(session);
                db.execute("ALTER PUBLICATION tidegate_shop DROP TABLE u");
                ends(session, ErrorCode.TABLES_CHANGED, "public.u is lost");
            }
        }
    }

    @Test
    void aSlotWhoseLogTheServerRemovedIsALostPosition() throws Exception {
        try (PostgresServer server = PostgresServer.version(17)
                .setting("max_slot_wal_keep_size", "1MB")
                .setting("max_wal_size", "32MB")
                .setting("min_wal_size", "32MB")
                .start()) {
            server.execute("CREATE TABLE t (id int PRIMARY KEY)");
            SourceLoop loop = Sources.born(Sources.of(server));
            try (SourceSession session = loop.open()) {
                loop.prepare(session);
                assertThat(session.tend()).isEmpty();
                assertThat(loop.measures).containsEntry("slot_wal_status", 0.0);
                for (int i = 0; i < 4; i++) {
                    server.execute("INSERT INTO t VALUES (" + i + ")", "SELECT pg_switch_wal()");
                }
                server.execute("CHECKPOINT");
                ends(session, ErrorCode.POSITION_LOST, "was invalidated by the server", "wal_removed");
            }
            assertThat(Sources.errors(Sources.of(server).check(loop.durable)))
                    .singleElement()
                    .asString()
                    .startsWith("TG-POSITION-LOST")
                    .contains("wal_removed");
        }
    }

    /** Both slots are waited for in the same way: that of the log, and that of the snapshot. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void saysWhichTransactionASlotWaitsForAndEndsSoonWhenAborted(int stepsBefore) throws Exception {
        try (SharedPostgres.Database db = SharedPostgres.version(17).fresh();
                Connection old = db.connect();
                Statement statement = old.createStatement()) {
            db.execute("CREATE TABLE t (id int PRIMARY KEY)");
            SourceLoop loop = new SourceLoop(Sources.of(db));
            try (SourceSession session = loop.open()) {
                for (int i = 0; i < stepsBefore; i++) {
                    loop.step(session);
                }
                old.setAutoCommit(false);
                statement.execute("INSERT INTO t VALUES (1)");
                int pid = old.unwrap(org.postgresql.PGConnection.class).getBackendPID();
                CompletableFuture<Preparation> step = CompletableFuture.supplyAsync(() -> {
                    try {
                        return session.prepare(loop.durable);
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                });
                Await.until(
                        "the pid of the old transaction",
                        LIMIT,
                        () -> loop.doing.stream().anyMatch(text -> text.endsWith("pids " + pid)),
                        loop.doing::toString);
                session.abort();
                assertThatThrownBy(() -> step.get(3, TimeUnit.SECONDS))
                        .isInstanceOf(ExecutionException.class)
                        .cause()
                        .isInstanceOfSatisfying(
                                TidegateException.class,
                                e -> assertThat(e.code()).isEqualTo(ErrorCode.SOURCE_UNAVAILABLE));
            }
            old.rollback();
            Await.until(
                    "the server to give the slot up",
                    LIMIT,
                    () -> db.query("SELECT 1 FROM pg_replication_slots WHERE active AND database = current_database()")
                            .isEmpty());
            try (SourceSession session = loop.open()) {
                loop.prepare(session);
                loop.readSnapshot(session);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {14, 18})
    void removesWhatItMadeOnlyAndSaysWhoUsesTheSlot(int version) throws Exception {
        try (SharedPostgres.Database db = SharedPostgres.version(version).fresh()) {
            db.execute("CREATE TABLE t (id int PRIMARY KEY)", "CREATE PUBLICATION foreign_one FOR TABLE t");
            Source source = Sources.of(db);
            SourceLoop loop = Sources.born(source);
            try (SourceSession session = loop.open()) {
                loop.prepare(session);
                try (SplitReader reader = session.open(
                                loop.log().plan(), loop.log().progress().position());
                        Source.Removal removal = source.removal(loop.durable)) {
                    assertThat(removal.describe())
                            .hasSize(2)
                            .anyMatch(text -> text.contains("is in use by pid")
                                    && text.endsWith("SELECT pg_drop_replication_slot('s_" + db.name() + "');"))
                            .anyMatch(text -> text.endsWith("DROP PUBLICATION \"tidegate_shop\";"));
                    assertThatThrownBy(removal::execute)
                            .isInstanceOfSatisfying(
                                    TidegateException.class,
                                    e -> assertThat(e.code()).isEqualTo(ErrorCode.SLOT_ACTIVE))
                            .hasMessageContainingAll("pid ", "application tidegate shop", "host 127.0.0.1");
                    assertThat(reader).isNotNull();
                }
            }
            assertThat(Sources.made(db)).hasSize(3);
            try (Source.Removal removal = source.removal(loop.durable)) {
                removal.execute();
                assertThat(removal.describe()).isEmpty();
                removal.execute();
            }
            assertThat(Sources.made(db)).containsExactly("publication foreign_one");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {17})
    void removesTheSlotAndLeavesAPublicationThatWasThere(int version) throws Exception {
        try (SharedPostgres.Database db = SharedPostgres.version(version).fresh()) {
            db.execute("CREATE TABLE t (id int PRIMARY KEY)", "CREATE PUBLICATION p FOR TABLE t");
            Source source = Sources.of(db, "publication.name", "p");
            SourceLoop loop = Sources.born(source);
            try (Source.Removal removal = source.removal(loop.durable)) {
                assertThat(removal.describe()).singleElement().asString().startsWith("replication slot");
                removal.execute();
            }
            assertThat(Sources.made(db)).isEqualTo(List.of("publication p"));
        }
    }
}
