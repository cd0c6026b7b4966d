package io.tidegate.connector.postgres.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tidegate.connector.postgres.pgoutput.TableFilter;
import io.tidegate.connector.postgres.position.Lsn;
import io.tidegate.spi.Change;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.SplitProgress;
import io.tidegate.spi.TidegateException;
import io.tidegate.testkit.await.Await;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What applications write into the log: where it comes, and that no position passes it. */
class LogicalMessagesIT {

    private static LogFixture fixture(int version) throws Exception {
        LogFixture db = new LogFixture(version, "CREATE TABLE a (id int PRIMARY KEY)");
        db.filter = new TableFilter(oid -> true, oid -> null, prefix -> !prefix.startsWith("not"));
        return db;
    }

    private static String message(boolean transactional, String prefix, String content) {
        return "SELECT pg_logical_emit_message(" + transactional + ", '" + prefix + "', " + content + ")";
    }

    @ParameterizedTest
    @ValueSource(ints = {14, 17, 18})
    void comeInTheOrderOfTheirTransactionOrByThemselvesAlsoAfterARollback(int version) throws Exception {
        try (LogFixture db = fixture(version)) {
            LogReader reader = db.reader();
            db.database.execute(
                    "BEGIN",
                    "INSERT INTO a VALUES (1)",
                    message(true, "in", "'one'"),
                    message(true, "in", "'\\x00ff'::bytea"),
                    message(false, "by itself", "'first'"),
                    message(true, "not", "'wanted'"),
                    "INSERT INTO a VALUES (2)",
                    message(true, "", "''"),
                    "COMMIT",
                    "BEGIN",
                    message(true, "in", "'rolled back'"),
                    message(false, "by itself", "'stays'"),
                    "ROLLBACK",
                    "INSERT INTO a VALUES (3)");
            TakenOutput out = LogFixture.read(reader, 8);
            String m = "m pg_catalog.pg_logical_emit_message +string:";
            assertThat(LogFixture.texts(out))
                    .containsExactly(
                            m + "by itself|bytes:6669727374|bool:false",
                            "c public.a +int:1",
                            m + "in|bytes:6f6e65|bool:true",
                            m + "in|bytes:00ff|bool:true",
                            "c public.a +int:2",
                            m + "|bytes:|bool:true",
                            m + "by itself|bytes:7374617973|bool:false",
                            "c public.a +int:3");
            List<String> places =
                    out.changes().stream().map(c -> c.origin().position()).toList();
            String commit = places.get(1).replace("#1", "");
            assertThat(places.subList(1, 6))
                    .containsExactly(commit + "#1", commit + "#1.1", commit + "#1.2", commit + "#2", commit + "#2.4");
            List<byte[]> ordinals =
                    out.changes().stream().map(c -> c.origin().ordinal()).toList();
            for (int i = 1; i < ordinals.size(); i++) {
                assertThat(Arrays.compareUnsigned(ordinals.get(i - 1), ordinals.get(i)))
                        .isNegative();
            }
            long now = Instant.now().toEpochMilli() * 1000;
            assertThat(out.changes())
                    .allSatisfy(c ->
                            assertThat(c.origin().committedAtMicros()).isBetween(now - 60_000_000, now + 1_000_000));
            reader.close();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {14, 18})
    void oneByItselfHasNoPositionAndComesAgainUnlessAMarkerBehindItWasConfirmed(int version) throws Exception {
        try (LogFixture db = fixture(version);
                Connection other = db.database.connect();
                Statement open = other.createStatement()) {
            Lsn start = db.confirmed();
            LogReader reader = db.reader();
            other.setAutoCommit(false);
            open.execute("INSERT INTO a VALUES (1)"); // began before the message, commits behind it
            db.database.execute(message(false, "m", "'x'"), "INSERT INTO a VALUES (2)");
            TakenOutput out = LogFixture.read(reader, 2);
            assertThat(LogFixture.texts(out).get(0)).startsWith("m ");
            Lsn message = Lsn.parse(out.changes().get(0).origin().position().replaceFirst("#.*", ""));
            Lsn behind = (Lsn) out.markers().get(out.markers().size() - 1);
            assertThat(behind.isAfter(message)).isTrue();
            again(db, reader);
            LogReader second = db.reader(start, Duration.ofSeconds(60));
            assertThat(LogFixture.texts(LogFixture.read(second, 2)))
                    .as("nothing was confirmed")
                    .isEqualTo(LogFixture.texts(out));
            Await.until(
                    "the acknowledgement to be taken",
                    LogFixture.LIMIT,
                    () -> second.acknowledge(new SplitProgress("log", behind, false)));
            Await.until(
                    "the slot to move", LogFixture.LIMIT, () -> db.confirmed().equals(behind));
            again(db, second);
            open.execute("SELECT pg_logical_emit_message(true, 'm', 'y')");
            other.commit();
            LogReader third = db.reader(behind, Duration.ofSeconds(60));
            assertThat(LogFixture.texts(LogFixture.read(third, 2)))
                    .as("the confirmed position passed the message, and nothing that was open around it")
                    .containsExactly(
                            "c public.a +int:1", "m pg_catalog.pg_logical_emit_message +string:m|bytes:79|bool:true");
            third.close();
        }
    }

    private static void again(LogFixture db, LogReader reader) throws Exception {
        reader.abort();
        reader.close();
        Await.until(
                "the slot to be free",
                LogFixture.LIMIT,
                () -> db.database
                        .query("SELECT 1 FROM pg_replication_slots WHERE active AND slot_name = '" + db.slot + "'")
                        .isEmpty());
    }

    @Test
    void onesByThemselvesMoveThePositionOfAnIdleDatabase() throws Exception {
        try (LogFixture db = fixture(17)) {
            LogReader reader = db.reader();
            db.database.execute(message(false, "m", "'x'"), message(false, "not", "'x'"));
            TakenOutput out = new TakenOutput(Integer.MAX_VALUE);
            Await.until("the message, and a marker behind it", LogFixture.LIMIT, () -> {
                reader.poll(out, Duration.ofMillis(100));
                return out.changes().size() == 1 && behind(out, out.changes().get(0));
            });
            reader.close();
        }
    }

    private static boolean behind(TakenOutput out, Change message) {
        Lsn at = Lsn.parse(message.origin().position().replaceFirst("#.*", ""));
        return out.markers().stream().anyMatch(marker -> ((Lsn) marker).isAfter(at));
    }

    @Test
    void whatIsTooLargeStopsOnlyIfItIsWanted() throws Exception {
        try (LogFixture db =
                new LogFixture(17, "CREATE TABLE a (id int PRIMARY KEY)", "CREATE TABLE blobs (id int, v text)")) {
            int blobs = Integer.parseInt(
                    db.database.query("SELECT 'blobs'::regclass::oid::int").get(0));
            db.filter = new TableFilter(oid -> oid != blobs, oid -> null, "ours"::equals);
            db.messageBytesMax = 1 << 20;
            LogReader reader = db.reader();
            db.database.execute(
                    "BEGIN",
                    "INSERT INTO blobs VALUES (1, repeat('x', 2000000))",
                    message(true, "theirs", "repeat('x', 2000000)"),
                    "INSERT INTO a VALUES (1)",
                    message(true, "ours", "'small'"),
                    "COMMIT",
                    message(false, "theirs", "repeat('x', 2000000)"),
                    "INSERT INTO a VALUES (2)");
            TakenOutput out = LogFixture.read(reader, 3);
            assertThat(out.changes().stream().map(c -> c.origin().position().replaceFirst(".*#", "")))
                    .as("what was passed over is counted")
                    .containsExactly("2", "2.2", "1");
            db.database.execute(message(false, "ours", "repeat('x', 2000000)"));
            assertThatThrownBy(() -> Await.until("the failure", LogFixture.LIMIT, () -> {
                        reader.poll(out, Duration.ofMillis(100));
                        return false;
                    }))
                    .isInstanceOfSatisfying(TidegateException.class, e -> {
                        assertThat(e.code()).isEqualTo(ErrorCode.ROW_TOO_LARGE);
                        assertThat(e.getMessage()).startsWith("a logical message at ");
                    });
            reader.close();
        }
    }
}
