package io.tidegate.server.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.TidegateException;
import io.tidegate.testkit.await.Await;
import io.tidegate.testkit.postgres.SharedPostgres;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The source is told of what is durable, of all of it, and of nothing else. */
class AcknowledgementIT {

    @TempDir
    Path folder;

    private SharedPostgres.Database database;
    private Rig rig;

    @BeforeEach
    void open() throws Exception {
        database = SharedPostgres.version(17).fresh();
        database.execute("CREATE TABLE t (id int PRIMARY KEY, v text)");
        rig = Rig.logOnly(folder, database.server(), database.name());
    }

    @AfterEach
    void close() throws Exception {
        rig.close();
        database.close();
    }

    private static List<String> rows(int from, int to) {
        return IntStream.rangeClosed(from, to).mapToObj(n -> "c t " + n).toList();
    }

    private static void wait(Duration time) {
        long start = System.nanoTime();
        Await.until("time to pass", time.multipliedBy(2), () -> System.nanoTime() - start > time.toNanos());
    }

    /** Case pg-commit-order-not-begin-order. */
    @Test
    void deliversATransactionThatBeganBeforeAnAcknowledgedOneAndCommittedAfterIt() throws Exception {
        rig.startMortal();
        rig.awaitReading();
        try (Connection a = database.connect();
                Statement inA = a.createStatement()) {
            a.setAutoCommit(false);
            inA.execute("INSERT INTO t VALUES (1)");
            rig.sql("INSERT INTO t VALUES (2)");
            rig.awaitDurable("c t 2");
            String between = rig.currentLsn();
            rig.await("row 2 to be confirmed", () -> rig.confirmedTo(between));
            rig.sink.hang();
            a.commit();
        }
        rig.awaitHanging();
        rig.crash();
        rig.startAndRead();
        rig.awaitDurable("c t 1");
        assertThat(rig.sink.durable().subList(0, 1)).containsExactly("c t 2");
    }

    /** Case pg-idle-table-busy-database, both halves; and pg-keepalive-acks-undelivered. */
    @Test
    void followsABusyDatabaseWhileAllIsDeliveredAndNeverPassesAChangeThatIsNot() throws Exception {
        rig.close();
        rig = Rig.logOnly(
                folder,
                database.server(),
                database.name(),
                "public.t",
                database.server().port());
        rig.startMortal();
        rig.awaitReading();
        String busy = "INSERT INTO busy SELECT repeat('x', 1000) FROM generate_series(1, 20000)";
        rig.sql("CREATE TABLE busy (x text)", busy);
        String afterFirst = rig.currentLsn();
        rig.await("the idle slot to follow", () -> rig.confirmedTo(afterFirst));

        rig.sink.hang();
        rig.sql("INSERT INTO t VALUES (1)");
        String row = rig.currentLsn();
        rig.awaitHanging();
        rig.sql(busy, busy);
        String received = "SELECT coalesce(bool_or(r.write_lsn > '" + row + "'::pg_lsn + 10000000), false)"
                + " FROM pg_replication_slots s JOIN pg_stat_replication r ON r.pid = s.active_pid"
                + " WHERE s.slot_name = '" + rig.slot + "'";
        rig.await("keepalives far beyond the row", () -> rig.query(received).equals(List.of("t")));
        assertThat(rig.confirmedTo(row)).isFalse();

        rig.crash();
        rig.startAndRead();
        rig.awaitDurable("c t 1");
        String end = rig.currentLsn();
        rig.await("the slot to follow again", () -> rig.confirmedTo(end));
    }

    /** Case ack-before-durable-delivery: a sink that takes the batch and fails later. */
    @Test
    void confirmsNothingOfABatchThatTheSinkTookAndThenFailed() throws Exception {
        rig.startAndRead();
        rig.sql("INSERT INTO t VALUES (1)");
        rig.awaitDurable("c t 1");
        rig.sink.hang();
        rig.sql("INSERT INTO t VALUES (2)");
        String row = rig.currentLsn();
        rig.sql("INSERT INTO t VALUES (3)");
        rig.awaitHanging();
        wait(Duration.ofSeconds(2));
        assertThat(rig.confirmedTo(row)).isFalse();
        rig.sink.fail(new TidegateException(ErrorCode.SINK_FAILED, "the sink fails late"));
        rig.sink.release();
        rig.awaitDurable("c t 2", "c t 3");
        rig.await("row 2 to be confirmed", () -> rig.confirmedTo(row));
        assertThat(rig.sink.durable()).isEqualTo(rows(1, 3));
        assertThat(rig.status().sessions()).isGreaterThan(1);
    }

    /** Case ack-before-durable-delivery: the second of three changes cannot be read. */
    @Test
    void endsInFrontOfAChangeThatCannotBeReadHoweverOftenItIsStarted() throws Exception {
        rig.close();
        database.server()
                .execute(
                        "DROP DATABASE " + database.name(),
                        "CREATE DATABASE " + database.name()
                                + " ENCODING 'SQL_ASCII' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'");
        database.execute("CREATE TABLE t (id text PRIMARY KEY)");
        rig = Rig.logOnly(folder, database.server(), database.name());
        rig.startAndRead();
        rig.sql("INSERT INTO t VALUES ('1')");
        rig.awaitDurable("c t 1");
        rig.sql("INSERT INTO t VALUES (E'\\x81')");
        String unreadable = rig.currentLsn();
        rig.sql("INSERT INTO t VALUES ('3')");
        rig.failure(ErrorCode.VALUE_UNREADABLE);
        rig.start();
        rig.failure(ErrorCode.VALUE_UNREADABLE);
        assertThat(rig.sink.durable()).containsOnly("c t 1");
        assertThat(rig.confirmedTo(unreadable)).isFalse();
    }

    /** Cases ack-partial-transaction-same-position and pg-logical-message-transactional-dup. */
    @Test
    void deliversATransactionAgainOfWhichASinkTookAPart() throws Exception {
        rig.close();
        rig = new Rig(
                folder,
                database.server(),
                database.name(),
                Rig.url(database.name(), database.server().port()),
                "tables: [public.t]",
                "snapshot: none",
                "messages: [m]");
        rig.startMortal();
        rig.awaitReading();
        rig.sink.hangAfter(1);
        rig.sql("BEGIN; INSERT INTO t SELECT g, repeat('x', 10000) FROM generate_series(1, 10) g;"
                + " SELECT pg_logical_emit_message(true, 'm', 'a');"
                + " INSERT INTO t SELECT g, repeat('x', 10000) FROM generate_series(11, 150) g;"
                + " SELECT pg_logical_emit_message(true, 'm', 'b');"
                + " INSERT INTO t SELECT g, repeat('x', 10000) FROM generate_series(151, 300) g; COMMIT");
        String end = rig.currentLsn();
        rig.awaitHanging();
        int taken = rig.sink.size();
        assertThat(taken).isBetween(1, 301);
        wait(Duration.ofMillis(500));
        assertThat(rig.confirmedTo(end)).isFalse();
        rig.crash();
        rig.startAndRead();
        rig.awaitSize(taken + 302);
        List<String> all = new ArrayList<>(rows(1, 300));
        all.add(150, "m pg_logical_emit_message m");
        all.add(10, "m pg_logical_emit_message m");
        assertThat(rig.sink.durable().subList(taken, taken + 302)).isEqualTo(all);
        rig.await("all of it to be confirmed", () -> rig.confirmedTo(end));
    }

    /** Case pg-no-periodic-feedback. */
    @Test
    void confirmsEverySecondUnderAConstantLoad() throws Exception {
        rig.startAndRead();
        int advances = 0;
        int number = 0;
        String last = rig.confirmed();
        for (int round = 0; round < 5; round++) {
            long start = System.nanoTime();
            while (System.nanoTime() - start < Duration.ofSeconds(1).toNanos()) {
                rig.sql("INSERT INTO t VALUES (" + ++number + ")");
            }
            String now = rig.confirmed();
            advances += now.equals(last) ? 0 : 1;
            last = now;
        }
        assertThat(advances).isGreaterThanOrEqualTo(4);
    }

    /** Case engine-acks-source-before-position-is-durable. */
    @Test
    void neverConfirmsWhatTheStateFileDoesNotHold() throws Exception {
        rig.startAndRead();
        int number = 0;
        for (int round = 0; round < 60; round++) {
            rig.sql("INSERT INTO t VALUES (" + ++number + ")");
            String confirmed = rig.confirmed();
            String stored = rig.stored();
            assertThat(rig.query("SELECT '" + confirmed + "'::pg_lsn <= '" + stored + "'::pg_lsn"))
                    .as("%s was confirmed, %s is stored", confirmed, stored)
                    .containsExactly("t");
        }
        rig.awaitSize(number);
        rig.stop();
        assertThat(rig.stored()).isEqualTo(rig.confirmed());
    }
}
