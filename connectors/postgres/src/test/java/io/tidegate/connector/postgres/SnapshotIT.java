package io.tidegate.connector.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tidegate.connector.postgres.log.TakenOutput;
import io.tidegate.connector.postgres.position.Lsn;
import io.tidegate.connector.postgres.position.PgOrigin;
import io.tidegate.spi.Change;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.SourceSession;
import io.tidegate.spi.SplitPlan;
import io.tidegate.spi.SplitReader;
import io.tidegate.spi.TidegateException;
import io.tidegate.testkit.await.Await;
import io.tidegate.testkit.postgres.SharedPostgres;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rules 5, 6 and 9: the snapshot is one point of the history, and the log goes on exactly there. */
class SnapshotIT {

    private static final Duration LIMIT = Duration.ofSeconds(20);

    /** An open transaction that has written. */
    private static final class Writing implements AutoCloseable {
        private final Connection connection;
        final int pid;

        Writing(SharedPostgres.Database db, String... sql) throws SQLException {
            connection = db.connect();
            connection.setAutoCommit(false);
            try (Statement statement = connection.createStatement()) {
                pid = backend(statement);
                for (String one : sql) {
                    statement.execute(one);
                }
            }
        }

        private static int backend(Statement statement) throws SQLException {
            try (ResultSet row = statement.executeQuery("SELECT pg_backend_pid()")) {
                row.next();
                return row.getInt(1);
            }
        }

        void commit() throws SQLException {
            connection.commit();
        }

        @Override
        public void close() throws SQLException {
            connection.close();
        }
    }

    private static CompletableFuture<Void> inBackground(SourceLoop loop, SourceSession session) {
        return CompletableFuture.runAsync(() -> {
            try {
                loop.step(session);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    private static void awaitWaitingFor(SourceLoop loop, int pid) {
        Await.until(
                "the slot to wait for " + pid,
                LIMIT,
                () -> loop.doing.stream().anyMatch(text -> text.endsWith("pids " + pid)),
                loop.doing::toString);
    }

    /**
     * Three transactions, each begun while the slot of the snapshot waits for the one before: the first two commit below
     * H, the third has written before H and commits after it. All of them lie in the log that is read.
     */
    @ParameterizedTest
    @ValueSource(ints = {14, 17, 18})
    void whatCommittedBelowHIsInTheSnapshotOnlyAndWhatCommittedAtOrAboveItInTheLogOnly(int version) throws Exception {
        try (SharedPostgres.Database db = SharedPostgres.version(version).fresh()) {
            db.execute(
                    "CREATE TABLE t (id int PRIMARY KEY)",
                    "CREATE TABLE u (id int PRIMARY KEY)",
                    "INSERT INTO u VALUES (1), (2)");
            SourceLoop loop = new SourceLoop(Sources.of(db));
            try (SourceSession session = loop.open()) {
                loop.step(session);
                loop.step(session);
                try (Writing first =
                        new Writing(db, "INSERT INTO t VALUES (10)", "TRUNCATE u", "INSERT INTO u VALUES (3)")) {
                    CompletableFuture<Void> step = inBackground(loop, session);
                    awaitWaitingFor(loop, first.pid);
                    try (Writing second = new Writing(db, "INSERT INTO t VALUES (20)")) {
                        first.commit();
                        awaitWaitingFor(loop, second.pid);
                        try (Writing third =
                                new Writing(db, "INSERT INTO t VALUES (30)", "UPDATE t SET id = 11 WHERE id = 10")) {
                            second.commit();
                            step.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
                            loop.prepare(session);
                            loop.readSnapshot(session);
                            third.commit();
                        }
                    }
                }
                assertThat(loop.changes).containsExactly("r public.t id=10", "r public.t id=20", "r public.u id=3");
                loop.changes.clear();
                db.execute("TRUNCATE u", "INSERT INTO u VALUES (4)");
                loop.readLog(session, changes -> changes.contains("c public.u id=4"));
                assertThat(loop.changes)
                        .containsExactly("c public.t id=30", "u public.t id=11", "t public.u", "c public.u id=4");
                Lsn point = loop.durable.source().entries().entrySet().stream()
                        .filter(entry -> entry.getKey().endsWith(".point"))
                        .map(entry -> Lsn.parse(entry.getValue()))
                        .findFirst()
                        .orElseThrow();
                Change spanning = loop.taken.get(3);
                assertThat(spanning.origin()).isInstanceOfSatisfying(PgOrigin.Log.class, origin -> {
                    assertThat(origin.lsn()).as("written below H").isLessThan(point);
                    assertThat(origin.transaction().commitLsn()).isGreaterThanOrEqualTo(point);
                });
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {14, 18})
    void rowsOfAllTablesAreThoseOfOneMomentWhileOthersWrite(int version) throws Exception {
        try (SharedPostgres.Database db = SharedPostgres.version(version).fresh()) {
            db.execute("CREATE TABLE a (id int PRIMARY KEY)", "CREATE TABLE b (id int PRIMARY KEY)");
            AtomicBoolean stop = new AtomicBoolean();
            List<CompletableFuture<Integer>> writers = new ArrayList<>();
            for (int writer = 0; writer < 3; writer++) {
                int first = writer * 1_000_000;
                writers.add(CompletableFuture.supplyAsync(() -> write(db, first, stop)));
            }
            SourceLoop loop = new SourceLoop(Sources.of(db));
            try (SourceSession session = loop.open()) {
                Await.until(
                        "rows",
                        LIMIT,
                        () -> !db.query("SELECT 1 FROM a LIMIT 1").isEmpty());
                loop.prepare(session);
                loop.readSnapshot(session);
                List<String> read = List.copyOf(loop.changes);
                Await.until(
                        "more rows",
                        LIMIT,
                        () -> Integer.parseInt(
                                        db.query("SELECT count(*) FROM a").get(0))
                                > read.size() / 2 + 10);
                stop.set(true);
                int written = 0;
                for (CompletableFuture<Integer> writer : writers) {
                    written += writer.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
                }
                int all = written;
                assertThat(ids(read, "r public.a"))
                        .isNotEmpty()
                        .containsExactlyInAnyOrderElementsOf(ids(read, "r public.b"));
                loop.readLog(session, changes -> changes.size() >= 2 * all);
                for (String table : List.of("public.a", "public.b")) {
                    List<String> snapshot = ids(loop.changes, "r " + table);
                    List<String> log = ids(loop.changes, "c " + table);
                    assertThat(log)
                            .as("some of the writing lies after the snapshot")
                            .isNotEmpty();
                    assertThat(Stream.concat(snapshot.stream(), log.stream()).toList())
                            .hasSize(all)
                            .containsExactlyInAnyOrderElementsOf(db.query("SELECT id FROM " + table));
                }
            }
        }
    }

    /** Adds the same row to both tables, again and again; how many. */
    private static int write(SharedPostgres.Database db, int first, AtomicBoolean stop) {
        int next = first;
        try (Connection connection = db.connect();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            while (!stop.get()) {
                statement.execute("INSERT INTO a VALUES (" + next + ")");
                statement.execute("INSERT INTO b VALUES (" + next + ")");
                connection.commit();
                next++;
            }
            return next - first;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static List<String> ids(List<String> changes, String prefix) {
        return changes.stream()
                .filter(text -> text.startsWith(prefix + " "))
                .map(text -> text.substring(text.indexOf('=') + 1))
                .toList();
    }

    @ParameterizedTest
    @ValueSource(ints = {14, 18})
    void readsEveryRowExactlyOnceWhateverTheChunks(int version) throws Exception {
        try (SharedPostgres.Database db = SharedPostgres.version(version).fresh()) {
            db.execute(
                    "CREATE TABLE t (id int PRIMARY KEY, gone int, v text)",
                    "INSERT INTO t SELECT g, g, repeat('x', 500 + g) FROM generate_series(1, 300) g",
                    "ALTER TABLE t DROP COLUMN gone",
                    "UPDATE t SET v = v || 'y' WHERE id % 3 = 0",
                    "DELETE FROM t WHERE id BETWEEN 100 AND 160",
                    "CREATE TABLE empty (id int PRIMARY KEY)",
                    "CREATE TABLE columnless ()",
                    "ALTER TABLE columnless REPLICA IDENTITY FULL",
                    "INSERT INTO columnless DEFAULT VALUES");
            SourceLoop loop = new SourceLoop(Sources.of(db, "snapshot_chunk", "16KiB"));
            try (SourceSession session = loop.open()) {
                loop.prepare(session);
                // Not in the snapshot, but on the pages of the last chunk and behind them.
                db.execute("INSERT INTO t SELECT g, repeat('z', 1000) FROM generate_series(1001, 1040) g");
                loop.readSnapshot(session);
            }
            assertThat(loop.durable.splits()).hasSizeGreaterThan(15);
            assertThat(ids(
                            loop.changes.stream()
                                    .map(text -> text.replaceFirst(" v=.*", ""))
                                    .toList(),
                            "r public.t"))
                    .containsExactlyInAnyOrderElementsOf(db.query("SELECT id FROM t WHERE id < 1000"));
            assertThat(loop.changes)
                    .filteredOn(text -> !text.startsWith("r public.t "))
                    .containsExactly("r public.columnless");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {14, 17, 18})
    void aSnapshotWhoseHolderDiedIsTakenAgainNotGivenUp(int version) throws Exception {
        try (SharedPostgres.Database db = SharedPostgres.version(version).fresh()) {
            db.execute("CREATE TABLE t (id int PRIMARY KEY)", "INSERT INTO t VALUES (1)");
            SourceLoop loop = new SourceLoop(Sources.of(db));
            try (SourceSession session = loop.open()) {
                loop.prepare(session);
                assertThat(session.tend()).isEmpty();
                db.query(
                        "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE state = 'idle in transaction'"
                                + " AND datname = current_database() AND application_name = 'tidegate shop'");
                SplitPlan chunk = loop.durable.splits().get(0).plan();
                for (SqlCall call : List.<SqlCall>of(() -> session.open(chunk, null), session::tend)) {
                    assertThatThrownBy(call::run)
                            .isInstanceOfSatisfying(
                                    TidegateException.class,
                                    e -> assertThat(e.code()).as(e.describe()).isEqualTo(ErrorCode.SOURCE_UNAVAILABLE));
                }
            }
            try (SourceSession session = loop.open()) {
                loop.prepare(session);
                loop.readSnapshot(session);
            }
            assertThat(loop.changes).containsExactly("t public.t", "r public.t id=1");
        }
    }

    /** Something that is called for its failure. */
    private interface SqlCall {
        void run() throws InterruptedException;
    }

    @ParameterizedTest
    @ValueSource(ints = {17})
    void aChunkIsFinishedOnlyWhenTheServerSaidThatItIsComplete(int version) throws Exception {
        try (SharedPostgres.Database db = SharedPostgres.version(version).fresh()) {
            db.execute(
                    "CREATE TABLE t (id int PRIMARY KEY, v text)",
                    "ALTER TABLE t ALTER v SET STORAGE EXTERNAL",
                    "INSERT INTO t SELECT g, repeat('x', 100000) FROM generate_series(1, 400) g");
            SourceLoop loop = new SourceLoop(Sources.of(db, "snapshot_chunk", "1024MiB"));
            try (SourceSession session = loop.open()) {
                loop.prepare(session);
                TakenOutput out = new TakenOutput(1_000_000);
                try (SplitReader reader =
                        session.open(loop.durable.splits().get(0).plan(), null)) {
                    assertThat(reader.poll(out, Duration.ZERO)).isEqualTo(SplitReader.State.MORE);
                    db.query("SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE query LIKE 'COPY%'"
                            + " AND datname = current_database()");
                    assertThatThrownBy(() -> {
                                while (reader.poll(out, Duration.ofSeconds(1)) != SplitReader.State.FINISHED) {
                                    assertThat(out.changes()).hasSizeLessThan(400);
                                }
                            })
                            .isInstanceOfSatisfying(
                                    TidegateException.class,
                                    e -> assertThat(e.code()).isEqualTo(ErrorCode.SOURCE_UNAVAILABLE));
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {17})
    void aRowThatIsTooLargeIsNamedByItsTableAndNothingOfItsValues(int version) throws Exception {
        try (SharedPostgres.Database db = SharedPostgres.version(version).fresh()) {
            db.execute(
                    "CREATE TABLE t (id text PRIMARY KEY, v text)",
                    "INSERT INTO t VALUES ('hunter2', repeat(E'swordfis\\n', 1000))"); // 10,000 bytes in COPY
            SourceLoop loop = new SourceLoop(Sources.of(db, "max_row_bytes", "4KiB"));
            try (SourceSession session = loop.open()) {
                loop.prepare(session);
                assertThatThrownBy(() -> loop.readSnapshot(session))
                        .isInstanceOfSatisfying(TidegateException.class, e -> {
                            assertThat(e.code()).isEqualTo(ErrorCode.ROW_TOO_LARGE);
                            assertThat(e.describe())
                                    .contains("public.t", "9007 bytes", "max_row_bytes (4096)")
                                    .doesNotContain("hunter2", "swordfis");
                        });
            }
        }
    }
}
