package io.tidegate.connector.postgres.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tidegate.connector.postgres.pgoutput.TableFilter;
import io.tidegate.connector.postgres.position.Lsn;
import io.tidegate.connector.postgres.position.PgOrigin;
import io.tidegate.connector.postgres.wire.ReplicationConnection;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.SplitProgress;
import io.tidegate.spi.SplitReader;
import io.tidegate.spi.TidegateException;
import io.tidegate.testkit.await.Await;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LogReaderIT {

    private static ErrorCode codeOfPolling(LogReader reader) {
        TakenOutput out = new TakenOutput(Integer.MAX_VALUE);
        long start = System.nanoTime();
        while (System.nanoTime() - start < LogFixture.LIMIT.toNanos()) {
            try {
                reader.poll(out, Duration.ofMillis(200));
            } catch (TidegateException e) {
                return e.code();
            }
        }
        throw new AssertionError("no failure came; " + LogFixture.texts(out));
    }

    @ParameterizedTest
    @ValueSource(ints = {14, 17, 18})
    void givesEveryKindOfMessage(int version) throws Exception {
        String table = "CREATE TABLE k (id int PRIMARY KEY, big text, v text)";
        String full = "CREATE TABLE f (id int PRIMARY KEY, big text, v text)";
        try (LogFixture db = new LogFixture(
                version,
                table,
                full,
                "ALTER TABLE k ALTER big SET STORAGE EXTERNAL",
                "ALTER TABLE f ALTER big SET STORAGE EXTERNAL",
                "ALTER TABLE f REPLICA IDENTITY FULL")) {
            db.filter = new TableFilter(oid -> true, oid -> null, "ours"::equals);
            LogReader reader = db.reader();
            String big = "x".repeat(3000);
            db.database.execute(
                    "INSERT INTO k VALUES (1, repeat('x', 3000), 'a')",
                    "UPDATE k SET v = NULL",
                    "UPDATE k SET id = 2",
                    "DELETE FROM k",
                    "INSERT INTO f VALUES (1, repeat('x', 3000), 'a')",
                    "UPDATE f SET v = 'b'",
                    "DELETE FROM f",
                    "TRUNCATE k, f",
                    "SELECT pg_logical_emit_message(true, 'other', 'no')",
                    "SELECT pg_logical_emit_message(true, 'ours', 'hi')");
            TakenOutput out = LogFixture.read(reader, 10);
            assertThat(LogFixture.texts(out))
                    .containsExactly(
                            "c public.k +int:1|string:" + big + "|string:a",
                            "u public.k +int:1|UNCHANGED|NULL",
                            "u public.k -int:1|ABSENT|ABSENT +int:2|UNCHANGED|NULL",
                            "d public.k -int:2|ABSENT|ABSENT",
                            "c public.f +int:1|string:" + big + "|string:a",
                            "u public.f -int:1|string:" + big + "|string:a +int:1|string:" + big + "|string:b",
                            "d public.f -int:1|string:" + big + "|string:b",
                            "t public.k",
                            "t public.f",
                            "m pg_catalog.pg_logical_emit_message +string:ours|bytes:6869|bool:true");
            assertThat(out.changes().get(0).table().key()).containsExactly(0);
            assertThat(out.changes().get(4).table().key()).containsExactly(0);
            reader.close();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {14, 17, 18})
    void leavesOutWhatLiesBehindTheStartAndBehindATablesSnapshot(int version) throws Exception {
        try (LogFixture db = new LogFixture(version, "CREATE TABLE a (id int)", "CREATE TABLE b (id int)")) {
            LogReader first = db.reader();
            db.database.execute("INSERT INTO a VALUES (1)", "INSERT INTO b VALUES (1)");
            TakenOutput out = LogFixture.read(first, 2);
            Lsn middle = (Lsn) out.markers().get(0);
            for (int i = 0; out.markers().size() < 2 && i < 50; i++) {
                first.poll(out, Duration.ofMillis(100));
            }
            Lsn h = (Lsn) out.markers().get(out.markers().size() - 1);
            first.abort();
            first.close();
            db.awaitFree();
            int a = Integer.parseInt(
                    db.database.query("SELECT 'a'::regclass::oid::int").get(0));
            db.database.execute("INSERT INTO a VALUES (2)");
            LogReader second = db.reader(middle, Duration.ofSeconds(60));
            assertThat(LogFixture.texts(LogFixture.read(second, 2)))
                    .containsExactly("c public.b +int:1", "c public.a +int:2");
            second.close();
            db.filter = new TableFilter(oid -> oid != a, oid -> h, prefix -> false);
            db.database.execute("INSERT INTO b VALUES (3)");
            LogReader third = db.reader(middle, Duration.ofSeconds(60));
            assertThat(LogFixture.texts(LogFixture.read(third, 1))).containsExactly("c public.b +int:3");
            third.close();
        }
    }

    @Test
    void keepsNoChangeWaitingWhileOthersKeepComing() throws Exception {
        try (LogFixture db = new LogFixture(17, "CREATE TABLE a (id int)")) {
            AtomicLong clock = new AtomicLong();
            db.nanoTime = () -> clock.addAndGet(1_000_000); // a millisecond passes with each message
            LogReader reader = db.reader();
            db.database.execute("INSERT INTO a SELECT generate_series(1, 10000)");
            TakenOutput out = new TakenOutput(Integer.MAX_VALUE);
            AtomicReference<SplitReader.State> left = new AtomicReference<>();
            Await.until("a change", LogFixture.LIMIT, () -> {
                left.set(reader.poll(out, Duration.ofHours(1)));
                return !out.changes().isEmpty();
            });
            assertThat(out.changes()).hasSizeLessThan(10);
            assertThat(left).hasValue(SplitReader.State.DRY);
            reader.close();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {14, 18})
    void endsWhenItsBackendIsTerminatedAndNamesWhoHoldsTheSlot(int version) throws Exception {
        try (LogFixture db = new LogFixture(version, "CREATE TABLE a (id int)")) {
            LogReader reader = db.reader();
            assertThatThrownBy(db::reader).isInstanceOfSatisfying(TidegateException.class, e -> {
                assertThat(e.code()).isEqualTo(ErrorCode.SLOT_ACTIVE);
                assertThat(e.getMessage()).containsPattern("PID \\d+");
            });
            db.database.query("SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots WHERE slot_name = '"
                    + db.slot + "'");
            assertThat(codeOfPolling(reader)).isEqualTo(ErrorCode.SOURCE_UNAVAILABLE);
            reader.close();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {17, 18})
    void callsAMissingPublicationALostPosition(int version) throws Exception {
        try (LogFixture db = new LogFixture(version, "CREATE TABLE a (id int)")) {
            db.database.execute("ALTER ROLE postgres SET client_min_messages = 'error'");
            LogReader reader = db.reader();
            db.database.execute("DROP PUBLICATION \"p'\"\"q\"", "INSERT INTO a VALUES (1)");
            Lsn behind =
                    Lsn.parse(db.database.query("SELECT pg_current_wal_lsn()").get(0));
            TakenOutput out = new TakenOutput(Integer.MAX_VALUE);
            ThrowingCallable reading = () -> {
                while (out.markers().stream().noneMatch(marker -> !((Lsn) marker).isBefore(behind))) {
                    reader.poll(out, Duration.ofMillis(200));
                }
            };
            assertThatThrownBy(reading, "it must not go on past the row")
                    .isInstanceOfSatisfying(
                            TidegateException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.POSITION_LOST));
            reader.close();
            db.database.execute("ALTER ROLE postgres RESET client_min_messages");
        }
    }

    @Test
    void namesTheTableOfARowThatIsTooLarge() throws Exception {
        try (LogFixture db = new LogFixture(17, "CREATE TABLE a (id int, t text)")) {
            db.messageBytesMax = 1 << 20;
            LogReader reader = db.reader();
            db.database.execute("INSERT INTO a VALUES (1, 'x')", "INSERT INTO a VALUES (2, repeat('x', 2000000))");
            TakenOutput out = new TakenOutput(Integer.MAX_VALUE);
            assertThatThrownBy(() -> {
                        for (int i = 0; i < 100; i++) {
                            reader.poll(out, Duration.ofMillis(200));
                        }
                    })
                    .isInstanceOfSatisfying(TidegateException.class, e -> {
                        assertThat(e.code()).isEqualTo(ErrorCode.ROW_TOO_LARGE);
                        assertThat(e.getMessage()).contains("public.a", "MiB of heap");
                    });
            assertThat(LogFixture.texts(out)).containsExactly("c public.a +int:1|string:x");
            reader.close();
        }
    }

    @Test
    void confirmsWhatWasAcknowledgedAndNothingElse() throws Exception {
        try (LogFixture db = new LogFixture(17, "CREATE TABLE a (id int)")) {
            Lsn start = db.confirmed();
            LogReader reader = db.reader(start, Duration.ofMillis(300));
            db.database.execute("INSERT INTO a VALUES (1)");
            TakenOutput out = LogFixture.read(reader, 1);
            Lsn end = (Lsn) out.markers().get(0);
            for (int i = 0; i < 10; i++) {
                reader.poll(out, Duration.ofMillis(100));
            }
            assertThat(db.confirmed()).isEqualTo(start);
            Await.until(
                    "the acknowledgement to be taken",
                    LogFixture.LIMIT,
                    () -> reader.acknowledge(new SplitProgress("log", end, false)));
            Await.until(
                    "the slot to move", LogFixture.LIMIT, () -> db.confirmed().equals(end));
            db.database.execute("CREATE TABLE busy AS SELECT generate_series(1, 1000) AS n");
            Await.until("a keepalive's marker", LogFixture.LIMIT, () -> {
                reader.poll(out, Duration.ofMillis(100));
                return ((Lsn) out.markers().get(out.markers().size() - 1)).isAfter(end);
            });
            assertThat(db.confirmed()).isEqualTo(end);
            reader.close();
        }
    }

    @Test
    void staysConnectedWhileItIsOnlyIdle() throws Exception {
        try (LogFixture db = new LogFixture(17, "CREATE TABLE a (id int)")) {
            db.database.execute("ALTER DATABASE " + db.database.name() + " SET wal_sender_timeout = '3s'");
            LogReader reader;
            try (ReplicationConnection probe = db.connect()) {
                assertThat(probe.show("wal_sender_timeout")).isEqualTo("3s");
            }
            reader = db.reader(db.confirmed(), Duration.ofSeconds(3));
            String pid = "SELECT active_pid FROM pg_replication_slots WHERE slot_name = '" + db.slot + "'";
            List<String> before = db.database.query(pid);
            long start = System.nanoTime();
            Await.until("8 s of idling", LogFixture.LIMIT, () -> {
                reader.idle();
                return System.nanoTime() - start > Duration.ofSeconds(8).toNanos();
            });
            assertThat(db.database.query(pid)).isEqualTo(before);
            db.database.execute("INSERT INTO a VALUES (1)");
            assertThat(LogFixture.texts(LogFixture.read(reader, 1))).containsExactly("c public.a +int:1");
            reader.close();
        }
    }

    @Test
    void readsALargeTransactionThroughAnOutputThatIsOftenFull() throws Exception {
        try (LogFixture db = new LogFixture(18, "CREATE TABLE a (id int, t text)")) {
            LogReader reader = db.reader();
            db.database.execute("INSERT INTO a SELECT n, repeat('x', 1000) FROM generate_series(1, 60000) n");
            int next = 1;
            int markers = 0;
            long start = System.nanoTime();
            while (markers == 0 && System.nanoTime() - start < 2 * LogFixture.LIMIT.toNanos()) {
                TakenOutput out = new TakenOutput(100);
                reader.poll(out, Duration.ofMillis(200));
                reader.idle();
                for (var change : out.changes()) {
                    assertThat(LogFixture.text(change)).startsWith("c public.a +int:" + next + "|");
                    next++;
                }
                markers += next > 60_000 ? out.markers().size() : 0; // an earlier one is a keepalive
            }
            assertThat(next).isEqualTo(60001);
            reader.close();
        }
    }

    @Test
    void readsADroppedTypeAsOtherAndTheKeyWithoutIncludedColumns() throws Exception {
        try (LogFixture db = new LogFixture(
                17,
                "CREATE TYPE mood AS ENUM ('sad')",
                "CREATE TABLE t (a int, m mood, b int, PRIMARY KEY (b) INCLUDE (a))",
                "ALTER TABLE t REPLICA IDENTITY FULL")) {
            LogReader reader = db.reader();
            db.database.execute("INSERT INTO t VALUES (1, 'sad', 2)", "ALTER TABLE t DROP COLUMN m", "DROP TYPE mood");
            TakenOutput out = LogFixture.read(reader, 1);
            assertThat(LogFixture.texts(out)).containsExactly("c public.t +int:1|other:sad|int:2");
            assertThat(out.changes().get(0).table().key()).containsExactly(2);
            reader.close();
        }
    }

    @Test
    void givesARenamedTableUnderItsNewNameFromThereOn() throws Exception {
        try (LogFixture db =
                new LogFixture(17, "CREATE TABLE t (id int PRIMARY KEY, b text)", "CREATE SCHEMA \"O.ther\"")) {
            LogReader reader = db.reader();
            db.database.execute(
                    "INSERT INTO t VALUES (1, 'x')",
                    "ALTER TABLE t RENAME TO t2",
                    "UPDATE t2 SET b = 'y'",
                    "ALTER TABLE t2 SET SCHEMA \"O.ther\"",
                    "UPDATE \"O.ther\".t2 SET b = 'z'");
            assertThat(LogFixture.texts(LogFixture.read(reader, 3)))
                    .containsExactly(
                            "c public.t +int:1|string:x", "u public.t2 +int:1|string:y", "u O.ther.t2 +int:1|string:z");
            reader.close();
        }
    }

    /** A transaction's end is the commit LSN of the one that commits right behind it: nothing lies between the two records. */
    @ParameterizedTest
    @ValueSource(ints = {17})
    void givesATransactionWhoseCommitLsnIsThePositionThatIsReadOnFrom(int version) throws Exception {
        try (LogFixture db = new LogFixture(version, "CREATE TABLE a (id int)");
                Connection first = db.database.connect();
                Connection second = db.database.connect()) {
            for (int id = 0; id < 100; id += 2) {
                Lsn before = db.confirmed();
                LogReader reader = db.reader(before, Duration.ofSeconds(60));
                write(first, id);
                write(second, id + 1);
                first.commit();
                second.commit();
                TakenOutput out = LogFixture.read(reader, 2);
                PgOrigin.Log last = (PgOrigin.Log) out.changes().get(1).origin();
                boolean adjacent = out.markers().contains(last.transaction().commitLsn());
                reader.abort();
                reader.close();
                db.awaitFree();
                if (adjacent) {
                    LogReader again = db.reader(last.transaction().commitLsn(), Duration.ofSeconds(60));
                    db.database.execute("INSERT INTO a VALUES (-1)");
                    assertThat(LogFixture.texts(LogFixture.readTo(again, "c public.a +int:-1")))
                            .containsExactly("c public.a +int:" + (id + 1), "c public.a +int:-1");
                    again.close();
                    return;
                }
                db.database.query("SELECT pg_replication_slot_advance('" + db.slot + "', pg_current_wal_lsn())");
            }
            throw new AssertionError("never did two commits follow each other closely");
        }
    }

    private static void write(Connection connection, int id) throws SQLException {
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            statement.execute("INSERT INTO a VALUES (" + id + ")");
        }
    }
}
