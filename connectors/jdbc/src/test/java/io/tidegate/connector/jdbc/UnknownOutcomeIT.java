package io.tidegate.connector.jdbc;

import static io.tidegate.connector.jdbc.Changes.table;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tidegate.spi.Batch;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.SinkSession;
import io.tidegate.spi.TableSchema;
import io.tidegate.spi.TidegateException;
import io.tidegate.testkit.await.Await;
import io.tidegate.testkit.net.TcpProxy;
import io.tidegate.testkit.postgres.PostgresServer;
import io.tidegate.testkit.settings.MapSettings;
import io.tidegate.testkit.tls.TestAuthority;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyIn;

/** A commit whose answer is lost, a session that is dead and may still land, a process that wakes up late. */
class UnknownOutcomeIT {

    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final TableSchema T = table("t", 1, "id integer", "v text");

    private final Changes log = new Changes();

    private Target target(String mode) throws Exception {
        return Target.fresh().with("create_tables", "true").with("mode", mode);
    }

    private static String proxied(Target target, TcpProxy proxy) {
        return "jdbc:postgresql://127.0.0.1:" + proxy.port() + "/" + target.database.name();
    }

    /** Rows for upsert, lines of the log for append: each exactly once. */
    private static void assertOnce(Target target, String mode) throws Exception {
        if (mode.equals("upsert")) {
            assertThat(target.query("SELECT id, v FROM t ORDER BY id")).containsExactly("1|a", "2|b", "3|c");
        } else {
            assertThat(target.query("SELECT op, position FROM t ORDER BY seq"))
                    .containsExactly("c|log 1", "c|log 2", "c|log 3");
        }
    }

    /** The answers are held back, so the commit is at the server and its outcome unknown; then the connection is cut. */
    @ParameterizedTest
    @ValueSource(strings = {"upsert", "append"})
    void aCommitWhoseAnswerIsLostIsAFailureAndItsChangesLandOnce(String mode) throws Exception {
        try (Target target = target(mode);
                TcpProxy proxy = TcpProxy.to(target.database.server().port())) {
            Batch first = log.batch(log.insert(T, 1, "a"));
            target.write(first);
            target.restart();
            SinkSession session = target.with("url", proxied(target, proxy)).session();
            Batch lost = log.batch(log.insert(T, 2, "b"));
            session.accept(lost);
            CompletableFuture<Void> flushed;
            // The first insert waits for this lock; meanwhile the way back is closed.
            try (Connection blocker = target.database.connect();
                    Statement statement = blocker.createStatement()) {
                blocker.setAutoCommit(false);
                statement.execute("LOCK TABLE tidegate_position IN ACCESS EXCLUSIVE MODE");
                flushed = flush(session);
                awaitWaiting(target, 1);
                proxy.stall(TcpProxy.Direction.TO_CLIENT);
                blocker.rollback();
            }
            // The lock's answer never arrives, so nothing else was sent: that transaction is still to be written.
            proxy.cut();
            assertFailed(flushed);
            assertThat(target.context.durable).containsExactly(first);
            target.restart();
            proxy.resume();
            proxy.restore();
            target.write(lost, log.batch(log.insert(T, 3, "c")));
            assertOnce(target, mode);
        }
    }

    /** A trigger at the commit waits until the way back is closed: the commit lands, its answer does not. */
    @ParameterizedTest
    @ValueSource(strings = {"upsert", "append"})
    void aCommitThatLandedWithoutAnAnswerIsNotWrittenAgain(String mode) throws Exception {
        try (Target target = target(mode);
                TcpProxy proxy = TcpProxy.to(target.database.server().port())) {
            Batch first = log.batch(log.insert(T, 1, "a"));
            target.write(first);
            target.restart();
            waitAtTheCommit(target);
            SinkSession session = target.with("url", proxied(target, proxy)).session();
            Batch lost = log.batch(log.insert(T, 2, "b"));
            session.accept(lost);
            CompletableFuture<Void> flushed;
            try (Connection blocker = target.database.connect();
                    Statement statement = blocker.createStatement()) {
                blocker.setAutoCommit(false);
                statement.execute("LOCK TABLE gate IN ACCESS EXCLUSIVE MODE");
                flushed = flush(session);
                awaitWaiting(target, 1);
                proxy.stall(TcpProxy.Direction.TO_CLIENT);
                blocker.rollback();
            }
            Await.until(
                    "the commit to land",
                    LIMIT,
                    () -> target.query("SELECT count(*) FROM t").equals(List.of("2")));
            assertThat(flushed).isNotDone();
            proxy.cut();
            assertFailed(flushed);
            assertThat(target.context.durable).containsExactly(first);
            target.restart();
            proxy.resume();
            proxy.restore();
            target.write(lost, log.batch(log.insert(T, 3, "c")));
            assertOnce(target, mode);
            assertThat(target.context.durable).contains(lost);
        }
    }

    /** The server ends the session in the middle of the commit, which did not happen. */
    @ParameterizedTest
    @ValueSource(strings = {"upsert", "append"})
    void aCommitThatDidNotLandIsAFailureAndWrittenAgain(String mode) throws Exception {
        try (Target target = target(mode)) {
            Batch first = log.batch(log.insert(T, 1, "a"));
            target.write(first);
            waitAtTheCommit(target);
            SinkSession session = target.session();
            Batch lost = log.batch(log.insert(T, 2, "b"));
            session.accept(lost);
            CompletableFuture<Void> flushed;
            try (Connection blocker = target.database.connect();
                    Statement statement = blocker.createStatement()) {
                blocker.setAutoCommit(false);
                statement.execute("LOCK TABLE gate IN ACCESS EXCLUSIVE MODE");
                flushed = flush(session);
                awaitWaiting(target, 1);
                target.query("SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE"
                        + " wait_event_type = 'Lock' AND datname = current_database()");
                assertFailed(flushed);
            }
            assertThat(target.context.durable).containsExactly(first);
            target.restart();
            target.write(lost, log.batch(log.insert(T, 3, "c")));
            assertOnce(target, mode);
        }
    }

    /** A trigger waits, at the commit, for whoever has locked the table {@code gate}. */
    private static void waitAtTheCommit(Target target) throws Exception {
        target.database.execute(
                "CREATE TABLE gate (id int)",
                "CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS"
                        + " 'BEGIN PERFORM FROM public.gate; RETURN NULL; END'",
                "CREATE CONSTRAINT TRIGGER wait AFTER INSERT ON t DEFERRABLE INITIALLY DEFERRED FOR EACH ROW"
                        + " EXECUTE FUNCTION wait()");
    }

    /** The dead session's statement is still being executed when the next one opens: it waits for the end of it. */
    @Test
    void aSessionWaitsForWhatADeadOneStillHasExecuted() throws Exception {
        try (Target target = target("upsert");
                TcpProxy proxy = TcpProxy.to(target.database.server().port())) {
            target.write(log.batch(log.insert(T, 1, "a")));
            target.restart();
            SinkSession dead = target.with("url", proxied(target, proxy)).session();
            Batch lost = log.batch(log.insert(T, 2, "b"));
            dead.accept(lost);
            CompletableFuture<Void> flushed;
            CompletableFuture<SinkSession> next;
            try (Connection blocker = target.database.connect();
                    Statement statement = blocker.createStatement()) {
                blocker.setAutoCommit(false);
                statement.execute("LOCK TABLE t IN ACCESS EXCLUSIVE MODE");
                flushed = flush(dead);
                awaitWaiting(target, 1);
                proxy.stall(); // the server does not learn that its client dies
                dead.abort();
                assertFailed(flushed);
                next = CompletableFuture.supplyAsync(() ->
                        target.with("url", target.database.jdbcUrl()).sink().open(target.context));
                CompletableFuture<SinkSession> opened = next;
                Await.until("the next session to wait", LIMIT, () -> opened.isDone() || waiting(target) == 2);
                assertThat(next).as("whether it waits for the dead one").isNotDone();
                blocker.rollback();
                // its transaction stays open, since its client says nothing more, until the server gives it up
                target.query(
                        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE state = 'idle in transaction'"
                                + " AND application_name = 'tidegate shop' AND datname = current_database()");
            }
            try (SinkSession session = next.get(LIMIT.toSeconds(), TimeUnit.SECONDS)) {
                session.accept(lost);
                session.accept(log.batch(log.insert(T, 3, "c")));
                session.flush();
            }
            assertOnce(target, "upsert");
        }
    }

    /** A process is frozen in the middle of a COPY: its server waits for the rest, and no timeout of the server ends that. */
    @Test
    void aSessionEndsACopyThatHasWaitedForAFrozenProcess() throws Exception {
        try (Target target = target("upsert").with("lock_timeout", "100ms")) {
            target.write(log.batch(log.insert(T, 1, "a")));
            target.restart();
            try (Connection frozen = connect(target, "tidegate shop")) {
                Sql.execute(frozen, "SELECT FROM tidegate_position WHERE lineage = '' FOR UPDATE");
                CopyIn copy = copyInto(frozen);
                assertThatThrownBy(target::session).hasMessageContaining("lock timeout");
                assertThat(copy.isActive()).isTrue();
                Duration silence = Duration.ofSeconds(1);
                Thread.sleep(silence.toMillis());
                try (SinkSession session = target.sink(silence).open(target.context)) {
                    session.accept(log.batch(log.insert(T, 2, "b"), log.insert(T, 3, "c")));
                    session.flush();
                }
                frozen.abort(Runnable::run);
            }
            assertOnce(target, "upsert");
        }
    }

    /** Another pipeline's COPY, one of this name that holds another position table, and a statement that waits for the server. */
    @Test
    void aSessionEndsNobodyElse() throws Exception {
        Duration silence = Duration.ofSeconds(1);
        try (Target target = target("upsert")) {
            target.write(log.batch(log.insert(T, 1, "a")));
            target.restart();
            try (Connection other = connect(target, "tidegate other");
                    Connection elsewhere = connect(target, "tidegate shop");
                    Connection waits = connect(target, "tidegate shop")) {
                Sql.execute(other, "LOCK TABLE tidegate_position IN ROW EXCLUSIVE MODE");
                copyInto(other);
                copyInto(elsewhere);
                Sql.execute(waits, "LOCK TABLE tidegate_position IN ROW EXCLUSIVE MODE");
                CompletableFuture<Void> waiting = CompletableFuture.runAsync(() -> {
                    try {
                        Sql.execute(waits, "LOCK TABLE t IN ACCESS EXCLUSIVE MODE");
                    } catch (SQLException e) {
                        throw new IllegalStateException(e);
                    }
                });
                awaitWaiting(target, 1);
                Thread.sleep(silence.toMillis());
                target.sink(silence).open(target.context).close();
                assertThat(target.query("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                                + " AND application_name LIKE 'tidegate %' AND state = 'active'"))
                        .containsExactly("3");
                other.abort(Runnable::run);
                elsewhere.abort(Runnable::run);
                waiting.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
            }
        }
    }

    private static Connection connect(Target target, String application) throws Exception {
        Connection connection = DriverManager.getConnection(
                target.database.jdbcUrl() + "?user=postgres&ApplicationName=" + application.replace(" ", "%20"));
        connection.setAutoCommit(false);
        return connection;
    }

    private static CopyIn copyInto(Connection connection) throws Exception {
        return connection.unwrap(PGConnection.class).getCopyAPI().copyIn("COPY t (id, v) FROM STDIN");
    }

    /** The lock that it waits for then is what says that somebody holds it. */
    @Test
    void aSessionThatMayEndNobodyOpensAllTheSame() throws Exception {
        String role = "mild_" + ProcessHandle.current().pid();
        try (Target target = target("upsert")) {
            target.database.execute(
                    "CREATE ROLE " + role + " LOGIN",
                    "GRANT ALL ON SCHEMA public TO " + role,
                    "REVOKE EXECUTE ON FUNCTION pg_terminate_backend(int, bigint) FROM PUBLIC");
            target.with("user", role).write(log.batch(log.insert(T, 1, "a")));
            assertThat(target.query("SELECT id FROM t")).containsExactly("1");
            target.restart();
            target.database.execute("DROP OWNED BY " + role, "DROP ROLE " + role);
        }
    }

    /** J2: two processes, or one that slept while another took its place. */
    @Test
    void aSessionThatWakesUpLateWritesNothing() throws Exception {
        try (Target target = target("upsert")) {
            SinkSession late = target.session();
            late.accept(log.snapshotBatch(Changes.read(T, 1, 1, "stale")));
            try (SinkSession newer = target.sink().open(target.context)) {
                newer.accept(log.snapshotBatch(Changes.read(T, 2, 1, "fresh")));
                newer.flush();
            }
            assertThatThrownBy(late::flush)
                    .isInstanceOfSatisfying(
                            TidegateException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.STATE_HELD));
            assertThat(target.query("SELECT v FROM t")).containsExactly("fresh");
        }
    }

    /** A frozen target: the call hangs, and abort ends it. */
    @Test
    void abortEndsACallThatGetsNoAnswer() throws Exception {
        try (Target target = target("upsert");
                TcpProxy proxy = TcpProxy.to(target.database.server().port())) {
            SinkSession session = target.with("url", proxied(target, proxy)).session();
            session.accept(log.batch(log.insert(T, 1, "a")));
            proxy.stall();
            CompletableFuture<Void> flushed = flush(session);
            session.abort();
            assertFailed(flushed);
        }
    }

    /** The server reads no more, so a write hangs inside of the encryption, which a close of the encrypted socket waits for. */
    @Test
    void abortEndsAnEncryptedWriteThatHangs() throws Exception {
        try (PostgresServer server =
                PostgresServer.version(17).ssl(TestAuthority.create("ours")).start()) {
            server.execute(
                    "CREATE TABLE t (id int PRIMARY KEY, v text)",
                    "CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS"
                            + " 'BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NEW; END'",
                    "CREATE TRIGGER wait BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION wait()");
            String url = "jdbc:postgresql://127.0.0.1:" + server.port() + "/postgres";
            Dialect dialect = new PostgresDialect();
            try (Connection holder = server.connect("postgres");
                    Connection connection = dialect.connect(JdbcConnector.config(
                            new MapSettings(Map.of("url", url, "user", "postgres", "tls.mode", "require"))))) {
                Sql.list(holder, "SELECT pg_advisory_lock(1)", row -> true);
                CopyIn copy = copyInto(connection);
                byte[] lines = "1\ta\n".repeat(1 << 18).getBytes(StandardCharsets.US_ASCII);
                AtomicLong sent = new AtomicLong();
                CompletableFuture<Void> sending = CompletableFuture.runAsync(() -> {
                    try {
                        while (true) {
                            copy.writeToCopy(lines, 0, lines.length);
                            sent.incrementAndGet();
                        }
                    } catch (SQLException e) {
                        throw new IllegalStateException(e);
                    }
                });
                long before = -1;
                while (sent.get() > before) {
                    before = sent.get();
                    Thread.sleep(1_000);
                }
                CompletableFuture.runAsync(() -> abort(dialect, connection)).get(LIMIT.toSeconds(), TimeUnit.SECONDS);
                assertThatThrownBy(() -> sending.get(LIMIT.toSeconds(), TimeUnit.SECONDS))
                        .isInstanceOf(ExecutionException.class);
            }
        }
    }

    private static void abort(Dialect dialect, Connection connection) {
        try {
            dialect.abort(connection);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static CompletableFuture<Void> flush(SinkSession session) {
        return CompletableFuture.runAsync(() -> {
            try {
                session.flush();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    private static void assertFailed(CompletableFuture<Void> flushed) {
        assertThatThrownBy(() -> flushed.get(LIMIT.toSeconds(), TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class)
                .cause()
                .isInstanceOfSatisfying(
                        TidegateException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.SINK_FAILED));
    }

    /** Waits until so many of our sessions wait for a lock. */
    private static void awaitWaiting(Target target, int count) throws Exception {
        Await.until("a session to wait for a lock", LIMIT, () -> waiting(target) == count);
    }

    private static int waiting(Target target) throws Exception {
        return Integer.parseInt(target.query("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                        + " AND application_name = 'tidegate shop' AND datname = current_database()")
                .get(0));
    }
}
