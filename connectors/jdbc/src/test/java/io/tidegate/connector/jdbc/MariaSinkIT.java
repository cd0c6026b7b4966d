package io.tidegate.connector.jdbc;

import static io.tidegate.connector.jdbc.Changes.Mark.UNCHANGED;
import static io.tidegate.connector.jdbc.Changes.table;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tidegate.spi.Batch;
import io.tidegate.spi.Change;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.RejectedException;
import io.tidegate.spi.SinkSession;
import io.tidegate.spi.TableSchema;
import io.tidegate.spi.TidegateException;
import io.tidegate.testkit.await.Await;
import io.tidegate.testkit.mariadb.MariaDbServer;
import io.tidegate.testkit.net.TcpProxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the sink leaves in a real MariaDB. */
class MariaSinkIT {

    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final AtomicInteger LAST = new AtomicInteger();
    private static final TableSchema T = table("t", 1, "id integer", "v text", "big text");

    private final MariaDbServer server = MariaDbServer.shared();
    private final String database = "test_" + LAST.incrementAndGet();
    private final TestContext context = new TestContext("postgres");
    private final Map<String, String> settings = new HashMap<>();
    private final Changes log = new Changes();
    private SinkSession session;

    @BeforeEach
    void make() throws SQLException {
        server.execute("", "CREATE DATABASE " + database);
        settings.put("url", "mariadb://root@127.0.0.1:" + server.port() + "/" + database);
        settings.put("names.schema", database);
        settings.put("create_tables", "true");
    }

    @AfterEach
    void drop() throws SQLException {
        restart();
        server.execute("", "DROP DATABASE " + database);
    }

    private void restart() {
        if (session != null) {
            session.close();
            session = null;
        }
    }

    private void write(Batch... batches) throws InterruptedException {
        if (session == null) {
            session = Target.sink(settings).open(context);
        }
        for (Batch batch : batches) {
            session.accept(batch);
        }
        session.flush();
    }

    private List<String> query(String sql) throws SQLException {
        return server.query(database, sql);
    }

    private void refused(String reason, Change change) {
        Batch batch = log.batch(change);
        assertThatThrownBy(() -> write(batch))
                .as(reason)
                .isInstanceOf(RejectedException.class)
                .hasMessageContaining(reason);
    }

    @Test
    void leavesTheRowsOfTheSourceAndSkipsWhatItHas() throws Exception {
        write(log.batch(
                log.insert(T, 1, "a", "x"),
                log.insert(T, 2, "it's \\ \"quoted\" 😀", null),
                log.update(T, 1, "b", UNCHANGED),
                log.insert(T, 0, "zero is a key", ""),
                log.insert(T, 3, "c", "z"),
                log.delete(T, 3),
                log.rekey(T, new Object[] {1}, 4, "moved", UNCHANGED)));
        List<String> rows = List.of("0|zero is a key|", "2|it's \\ \"quoted\" 😀|", "4|moved|x");
        assertThat(query("SELECT * FROM t ORDER BY id")).isEqualTo(rows);
        restart();
        server.execute(database, "UPDATE t SET v = 'not written again' WHERE id = 4");
        log.rewind(6);
        write(log.batch(log.rekey(T, new Object[] {1}, 4, "moved", UNCHANGED), log.insert(T, 5, "e", "")));
        assertThat(query("SELECT v FROM t WHERE id >= 4 ORDER BY id")).containsExactly("not written again", "e");
    }

    @Test
    void anotherUniqueKeyNeverMakesAnInsertUpdateAForeignRow() throws Exception {
        TableSchema u = table("u", 1, "id integer", "name text");
        server.execute(database, "CREATE TABLE u (id int PRIMARY KEY, name varchar(50) UNIQUE)");
        write(log.batch(log.insert(u, 1, "a"), log.insert(u, 2, "b")));
        refused("constraint name", log.insert(u, 3, "a"));
        assertThat(query("SELECT * FROM u ORDER BY id")).containsExactly("1|a", "2|b");
        write(log.batch(log.update(u, 1, "c"), log.update(u, 2, "a"), log.insert(u, 3, "b")));
        assertThat(query("SELECT * FROM u ORDER BY id")).containsExactly("1|c", "2|a", "3|b");
    }

    /** Case decimal-overflow-becomes-null. */
    @Test
    void aDecimalThatDoesNotFitIsRefusedAndNeverRoundedOrNull() throws Exception {
        TableSchema s = table("s", 1, "id integer", "n numeric");
        server.execute(database, "CREATE TABLE s (id int PRIMARY KEY, n decimal(10,2))");
        refused("column n", log.insert(s, 1, "12345678901234567890.12"));
        refused("column n", log.insert(s, 1, "12345678901234567890.123"));
        refused("not finite", log.insert(s, 3, "NaN"));
        refused("not finite", log.insert(s, 3, "-Infinity"));
        refused("more than 2 digits", log.insert(s, 4, "0.005"));
        write(log.batch(log.insert(s, 2, "1.5"), log.insert(s, 5, "-2.500")));
        assertThat(query("SELECT * FROM s ORDER BY id")).containsExactly("2|1.50", "5|-2.50");
    }

    /** Kind kafka-record-too-large, in each statement that holds a row, and with characters that grow on their way. */
    @ParameterizedTest
    @ValueSource(strings = {"y", "é", "'", "漢"})
    void aRowAboveTheServersPacketIsRefusedAndWhatComesBeforeAndBehindItIsWritten(String letter) throws Exception {
        String packet = server.query("", "SELECT @@global.max_allowed_packet").get(0);
        server.execute("", "SET GLOBAL max_allowed_packet = 1048576");
        try {
            String large = letter.repeat(1_048_576 / (letter.equals("y") ? 1 : letter.equals("漢") ? 3 : 2));
            String fits = large.substring(0, large.length() - 200);
            write(log.batch(log.insert(T, 1, "a", fits)));
            for (Change change : List.of(
                    log.insert(T, 2, "b", large),
                    log.update(T, 1, UNCHANGED, large),
                    log.rekey(T, new Object[] {1}, 4, "a", large))) {
                Batch batch = log.batch(change);
                assertThatThrownBy(() -> write(batch))
                        .isInstanceOfSatisfying(
                                RejectedException.class,
                                e -> assertThat(e.batch()).isEqualTo(batch))
                        .hasMessageContainingAll(database + ".t", "max_allowed_packet", "1048576")
                        .hasMessageNotContaining(letter.repeat(3));
            }
            write(log.batch(log.insert(T, 3, "c", fits)));
            assertThat(query("SELECT id, v, char_length(big) FROM t ORDER BY id"))
                    .containsExactly("1|a|" + fits.length(), "3|c|" + fits.length());
        } finally {
            restart();
            server.execute("", "SET GLOBAL max_allowed_packet = " + packet);
        }
    }

    /** A piece of many rows is cut by what the server takes, in bytes. */
    @Test
    void manyRowsOfWideCharactersGoThroughASmallPacket() throws Exception {
        String packet = server.query("", "SELECT @@global.max_allowed_packet").get(0);
        server.execute("", "SET GLOBAL max_allowed_packet = 65536");
        try {
            Change[] changes = new Change[300];
            for (int i = 0; i < changes.length; i++) {
                changes[i] = log.insert(T, i, "漢'".repeat(500), null);
            }
            write(log.batch(changes));
            assertThat(query("SELECT count(*), sum(char_length(v)) FROM t")).containsExactly("300|300000");
        } finally {
            restart();
            server.execute("", "SET GLOBAL max_allowed_packet = " + packet);
        }
    }

    @Test
    void whatMariaDbCannotHoldIsRefusedWithItsReason() throws Exception {
        TableSchema w = table(
                "w",
                1,
                "id integer",
                "d date",
                "ts timestamp with time zone",
                "t3 timestamp without time zone",
                "f real",
                "v character varying(3)",
                "i integer",
                "c character(4)");
        server.execute(
                database,
                "CREATE TABLE w (id int PRIMARY KEY, d date, ts timestamp NULL, t3 datetime(3), f float, v varchar(3),"
                        + " i int, c char(4))");
        refused("infinity", log.insert(w, 1, "infinity", null, null, null, null, null, null));
        refused("year", log.insert(w, 1, "-0043-03-15", null, null, null, null, null, null));
        refused("year", log.insert(w, 1, "+10000-01-01", null, null, null, null, null, null));
        refused("column ts", log.insert(w, 1, null, "2039-01-01T00:00:00Z", null, null, null, null, null));
        refused("digits", log.insert(w, 1, null, null, "2024-01-01T00:00:00.0001", null, null, null, null));
        refused("not finite", log.insert(w, 1, null, null, null, "NaN", null, null, null));
        refused("longer", log.insert(w, 1, null, null, null, null, "ab  ", null, null));
        refused("blank", log.insert(w, 1, null, null, null, null, null, null, "ab  "));
        assertThat(query("SELECT count(*) FROM w")).containsExactly("0");
        write(log.batch(log.insert(
                w, 1, "0001-01-01", "2038-01-19T03:14:07Z", "9999-12-31T23:59:59.999", "0.1", "a😀c", -1, "ab")));
        assertThat(query("SELECT * FROM w"))
                .containsExactly("1|0001-01-01|2038-01-19 03:14:07|9999-12-31 23:59:59.999000|0.1|a😀c|-1|ab");
    }

    @Test
    void tablesItMakesHoldEachTypeAsItIs() throws Exception {
        TableSchema a = table(
                "a",
                2,
                "id bigint",
                "k text",
                "b boolean",
                "n numeric(10,2)",
                "u numeric",
                "r real",
                "x double precision",
                "y bytea",
                "g uuid",
                "d date",
                "ti time without time zone",
                "tz time with time zone",
                "ts timestamp without time zone",
                "tt timestamp with time zone",
                "iv interval",
                "j jsonb",
                "o inet");
        write(log.batch(log.insert(
                a,
                Long.MIN_VALUE,
                "Key ",
                true,
                "-0.50",
                "123456789012345678901234567890.5",
                "0.1",
                "1e-07",
                new byte[] {0, (byte) 0xff, '\'', '\\'},
                "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
                "2024-02-29",
                "24:00:00",
                "10:00:00.5+05:30",
                "1999-12-31T23:59:59.123456",
                "1969-07-20T20:17:40Z",
                "P1Y2M-3DT4H5M6.789S",
                "{\"a\": 1.10}",
                "10.0.0.1/8")));
        assertThat(query("SELECT id, k, b, n, u, r, x, hex(y), g, d, ti, tz, ts, tt, iv, j, o FROM a"))
                .containsExactly(
                        "-9223372036854775808|Key |1|-0.50|123456789012345678901234567890.500000000000000000000000000000"
                                + "|0.1|0.0000001|00FF275C|a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11|2024-02-29|24:00:00.000000|10:00:00.5+05:30"
                                + "|1999-12-31 23:59:59.123456|1969-07-20 20:17:40.000000|P1Y2M-3DT4H5M6.789S|{\"a\": 1.10}|10.0.0.1/8");
        write(log.batch(log.insert(a, Long.MIN_VALUE, "key ", false), log.delete(a, Long.MIN_VALUE, "Key ")));
        assertThat(query("SELECT k, b FROM a")).containsExactly("key |0");
    }

    @Test
    void aKeyThatIgnoresCaseIsRefusedWithTheStatement() throws Exception {
        TableSchema k = table("k", 1, "name text");
        server.execute(database, "CREATE TABLE k (name varchar(50) PRIMARY KEY) COLLATE utf8mb4_general_ci");
        assertThatThrownBy(() -> write(log.batch(log.insert(k, "a"))))
                .isInstanceOfSatisfying(TidegateException.class, e -> {
                    assertThat(e.code()).isEqualTo(ErrorCode.PREFLIGHT);
                    assertThat(e.advice()).contains("MODIFY `name` VARCHAR");
                });
    }

    @Test
    void aTableThatTakesPartInNoTransactionIsRefused() throws Exception {
        server.execute(database, "CREATE TABLE t (id int PRIMARY KEY, v text, big text) ENGINE = Aria");
        assertThatThrownBy(() -> write(log.batch(log.insert(T, 1, "a", "x"))))
                .isInstanceOfSatisfying(
                        TidegateException.class, e -> assertThat(e.advice()).contains("ENGINE = InnoDB"));
    }

    @Test
    void aTruncateIsPartOfTheTransaction() throws Exception {
        TableSchema c = table("c", 1, "id integer", "t integer");
        write(log.batch(log.insert(T, 1, "a", "x")));
        server.execute(database, "CREATE TABLE c (id int PRIMARY KEY, t int, FOREIGN KEY (t) REFERENCES t (id))");
        write(log.batch(log.insert(c, 1, 1)));
        Batch batch = log.batch(log.truncate(T), log.truncate(c), log.insert(c, 2, 99));
        assertThatThrownBy(() -> write(batch))
                .isInstanceOf(RejectedException.class)
                .hasMessageContaining("foreign key");
        assertThat(query("SELECT count(*) FROM t")).containsExactly("1");
        write(log.batch(log.truncate(T), log.truncate(c), log.insert(T, 99, "", ""), log.insert(c, 2, 99)));
        assertThat(query("SELECT * FROM c")).containsExactly("2|99");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3000})
    void manyRowsGoByFewStatementsAndNoneIsLost(int columnsBytes) throws Exception {
        Change[] changes = new Change[2000];
        for (int i = 0; i < changes.length; i++) {
            changes[i] = log.insert(T, i, "v".repeat(columnsBytes), "x");
        }
        write(log.batch(changes));
        assertThat(query("SELECT count(*), sum(length(v)) FROM t")).containsExactly("2000|" + 2000L * columnsBytes);
    }

    @Test
    void appendsEachLogChangeOnce() throws Exception {
        settings.put("mode", "append");
        write(log.snapshotBatch(Changes.read(T, 1, 1, "a", "x")));
        Batch batch = log.batch(log.update(T, 1, "b", UNCHANGED), log.delete(T, 1));
        write(batch);
        restart();
        write(batch);
        assertThat(query("SELECT op, position, snapshot, attempt, catch_up FROM t ORDER BY seq"))
                .containsExactly("r|H1|H1|1|0", "u|log 1|||0", "d|log 2|||0");
        assertThat(query("SELECT json_value(`change`, '$.after.v') FROM t WHERE op = 'u'"))
                .containsExactly("b");
    }

    /** A backup's lock holds the commit up until the way back is closed: it lands, its answer does not. */
    @ParameterizedTest
    @ValueSource(strings = {"upsert", "append"})
    void aCommitThatLandedWithoutAnAnswerIsNotWrittenAgain(String mode) throws Exception {
        settings.put("mode", mode);
        write(log.batch(log.insert(T, 1, "a", "x")));
        restart();
        Batch lost = log.batch(log.insert(T, 2, "b", "x"));
        String direct = settings.get("url");
        try (TcpProxy proxy = TcpProxy.to(server.port());
                Connection backup = server.connect("");
                Statement statement = backup.createStatement()) {
            settings.put("url", direct.replace(":" + server.port(), ":" + proxy.port()));
            session = Target.sink(settings).open(context);
            session.accept(lost);
            statement.execute("BACKUP STAGE START");
            statement.execute("BACKUP STAGE BLOCK_COMMIT");
            CompletableFuture<Void> flushed = CompletableFuture.runAsync(() -> {
                try {
                    session.flush();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });
            Await.until(
                    "the commit to wait",
                    LIMIT,
                    () -> query("SELECT count(*) FROM information_schema.processlist"
                                    + " WHERE info = 'COMMIT' AND db = '" + database + "'")
                            .equals(List.of("1")));
            proxy.stall(TcpProxy.Direction.TO_CLIENT);
            statement.execute("BACKUP STAGE END");
            Await.until(
                    "the commit to land",
                    LIMIT,
                    () -> query("SELECT count(*) FROM t").equals(List.of("2")));
            assertThat(flushed).isNotDone();
            proxy.cut();
            assertThatThrownBy(() -> flushed.get(LIMIT.toSeconds(), TimeUnit.SECONDS))
                    .cause()
                    .isInstanceOfSatisfying(
                            TidegateException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.SINK_FAILED));
            restart();
        }
        settings.put("url", direct);
        server.execute(database, "UPDATE t SET " + (mode.equals("upsert") ? "v" : "position") + " = 'kept'");
        write(lost, log.batch(log.insert(T, 3, "c", "x")));
        assertThat(query("SELECT " + (mode.equals("upsert") ? "v" : "position") + " FROM t ORDER BY 1"))
                .containsExactlyElementsOf(
                        mode.equals("upsert") ? List.of("c", "kept", "kept") : List.of("kept", "kept", "log 3"));
        assertThat(context.durable).contains(lost);
    }

    @Test
    void aSessionThatWakesUpLateWritesNothing() throws Exception {
        SinkSession late = Target.sink(settings).open(context);
        late.accept(log.batch(log.insert(T, 1, "stale", "x")));
        write(log.batch(log.insert(T, 2, "fresh", "x")));
        assertThatThrownBy(late::flush)
                .isInstanceOfSatisfying(
                        TidegateException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.STATE_HELD));
        late.close();
        assertThat(query("SELECT v FROM t")).containsExactly("fresh");
    }
}
