package io.tidegate.connector.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidegate.connector.postgres.log.TakenOutput;
import io.tidegate.connector.postgres.position.RaisedLsn;
import io.tidegate.spi.Change;
import io.tidegate.spi.Checkpoint;
import io.tidegate.spi.Position;
import io.tidegate.spi.SourceSession;
import io.tidegate.spi.SplitProgress;
import io.tidegate.spi.SplitReader;
import io.tidegate.spi.SplitState;
import io.tidegate.testkit.await.Await;
import io.tidegate.testkit.postgres.PostgresServer;
import io.tidegate.testkit.postgres.SharedPostgres;
import io.tidegate.testkit.property.Choices;
import io.tidegate.testkit.property.Property;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A snapshot by key ranges that is broken off, while rows move between the ranges with values that the log does not repeat
 * (rule 8): a table that is written by key equals the source in the end.
 */
class CatchUpIT {

    /** Rows of some 700 bytes, so that a chunk of a megabyte holds some 1,400 of them; the value lies beside the row. */
    private static final int ROWS = 6_000;

    private static final Duration LIMIT = Duration.ofSeconds(30);

    private static final String FILLER = "repeat('x', 600)";
    private static final String VALUE =
            "(SELECT string_agg(md5(n::text || random()::text), '') FROM generate_series(1, 80) n)";

    private static final String[] TABLE = {
        "CREATE TABLE t (id int PRIMARY KEY, n int, filler text, value text)",
        "ALTER TABLE t ALTER filler SET STORAGE PLAIN, ALTER value SET STORAGE EXTERNAL",
        "INSERT INTO t SELECT i * 10, 0, " + FILLER + ", " + VALUE + " FROM generate_series(1, " + ROWS + ") i",
        "ANALYZE t"
    };

    private static void table(SharedPostgres.Database db) throws SQLException {
        db.execute(TABLE);
    }

    private static List<SplitState> chunksLeft(SourceLoop loop) {
        return loop.durable.splits().stream()
                .filter(split ->
                        !split.plan().spec().equals("log") && !split.progress().done())
                .toList();
    }

    private static void apply(SourceLoop loop, UpsertTable target) {
        for (Change change : loop.taken) {
            target.apply(change);
        }
        loop.taken.clear();
        loop.changes.clear();
    }

    private static void assertEqual(UpsertTable target, SharedPostgres.Database db) throws SQLException {
        Map<String, Map<String, String>> source = new TreeMap<>();
        try (java.sql.Connection connection = db.connect();
                java.sql.Statement statement = connection.createStatement();
                java.sql.ResultSet rows = statement.executeQuery("SELECT id, n, filler, value FROM t")) {
            while (rows.next()) {
                source.put(
                        rows.getString(1),
                        Map.of(
                                "id", rows.getString(1),
                                "n", rows.getString(2),
                                "filler", rows.getString(3),
                                "value", rows.getString(4)));
            }
        }
        assertThat(target.rows.keySet()).isEqualTo(source.keySet());
        source.forEach(
                (key, row) -> assertThat(target.rows.get(key)).as("row " + key).isEqualTo(row));
    }

    /** Reads the log up to a row that is made now, in sessions of their own if it is cut short. */
    private static void finish(SourceLoop loop, SharedPostgres.Database db, UpsertTable target) throws Exception {
        try (SourceSession session = loop.open()) {
            loop.prepare(session);
            loop.readSnapshot(session);
            db.execute("INSERT INTO t VALUES (-1, 0, 'f', 'v')");
            loop.readLog(session, changes -> changes.stream().anyMatch(text -> text.startsWith("c public.t id=-1 ")));
        }
        apply(loop, target);
    }

    @ParameterizedTest
    @ValueSource(ints = {14, 18})
    void keepsWhatIsDoneAndCompletesARowThatMovedBetweenChunks(int version) throws Exception {
        try (SharedPostgres.Database db = SharedPostgres.version(version).fresh()) {
            table(db);
            SourceLoop loop = new SourceLoop(Sources.of(db));
            UpsertTable target = new UpsertTable();
            int last = ROWS * 10;
            List<SplitState> chunks;
            try (SourceSession session = loop.open()) {
                loop.prepare(session);
                chunks = chunksLeft(loop);
                assertThat(chunks).hasSizeGreaterThan(2);
                loop.read(session, chunks.get(0).plan());
            }
            apply(loop, target);
            db.execute(
                    "UPDATE t SET id = 5 WHERE id = "
                            + last, // into the chunk that is done, its value is not in the log
                    "UPDATE t SET id = " + (last + 5) + " WHERE id = 10", // out of it
                    "UPDATE t SET id = 15 WHERE id = " + (last - 10),
                    "UPDATE t SET n = 1 WHERE id = 15",
                    "DELETE FROM t WHERE id = 15",
                    "DELETE FROM t WHERE id = 20",
                    "UPDATE t SET id = 25 WHERE id = " + (last - 20),
                    "UPDATE t SET id = " + (last + 25) + " WHERE id = 25");

            try (SourceSession session = loop.open()) {
                loop.prepare(session);
                assertThat(chunksLeft(loop))
                        .as("what is done is not read again")
                        .hasSize(chunks.size() - 1)
                        .allMatch(split -> split.plan().id().startsWith("a2/"));
            }
            finish(loop, db, target);

            assertEqual(target, db);
            assertThat(target.nothingToDo)
                    .as("the row that moved on before it could be read")
                    .isPositive();
        }
    }

    /** Which rows lie on a page is another question after each write: what is done of such a table is void. */
    @ParameterizedTest
    @ValueSource(ints = {14, 18})
    void aTableThatIsCutByPagesIsReadFromTheBeginningAgain(int version) throws Exception {
        try (SharedPostgres.Database db = SharedPostgres.version(version).fresh()) {
            db.execute(
                    "CREATE TABLE t (id int PRIMARY KEY, n int, filler text, value text)",
                    "ALTER TABLE t ALTER filler SET STORAGE PLAIN, ALTER value SET STORAGE EXTERNAL",
                    "INSERT INTO t SELECT i, 0, " + FILLER + ", repeat('v', 3000) FROM generate_series(1, 200) i"
                            + " ORDER BY hashint4(i)",
                    "ANALYZE t");
            SourceLoop loop = new SourceLoop(Sources.of(db, "snapshot_chunk", "16KiB"));
            UpsertTable target = new UpsertTable();
            int chunks;
            try (SourceSession session = loop.open()) {
                loop.prepare(session);
                chunks = chunksLeft(loop).size();
                assertThat(chunks).isGreaterThan(5);
                loop.read(session, chunksLeft(loop).get(0).plan());
            }
            apply(loop, target);
            // to a page of the chunk that is done, with a value that the log does not repeat
            db.execute("DELETE FROM t WHERE ctid < '(2,0)'", "VACUUM t", "UPDATE t SET n = 1 WHERE ctid >= '(12,0)'");
            try (SourceSession session = loop.open()) {
                loop.prepare(session);
                assertThat(chunksLeft(loop)).as("a truncate and all chunks").hasSizeGreaterThanOrEqualTo(chunks);
            }
            finish(loop, db, target);
            assertEqual(target, db);
        }
    }

    @Test
    void theEndOfCatchUpRisesWithEachRowThatIsReadAndOutlivesASession() throws Exception {
        try (SharedPostgres.Database db = SharedPostgres.version(17).fresh()) {
            table(db);
            SourceLoop loop = new SourceLoop(Sources.of(db));
            UpsertTable target = new UpsertTable();
            int last = ROWS * 10;
            try (SourceSession session = loop.open()) {
                loop.prepare(session);
                loop.read(session, chunksLeft(loop).get(0).plan());
            }
            db.execute("UPDATE t SET id = 5 WHERE id = " + last);
            try (SourceSession session = loop.open()) {
                loop.prepare(session);
                loop.readSnapshot(session);
            }
            apply(loop, target);
            // after H: the row is read as it is after all of this, and these changes come behind it
            db.execute(
                    "UPDATE t SET n = 7 WHERE id = 5",
                    "UPDATE t SET id = 7 WHERE id = 5",
                    "UPDATE t SET n = 8 WHERE id = 7",
                    "UPDATE t SET id = 5 WHERE id = 7");

            Position first;
            try (SourceSession session = loop.open()) {
                loop.prepare(session);
                TakenOutput out = new TakenOutput(1_000);
                try (SplitReader reader =
                        session.open(loop.log().plan(), loop.log().progress().position())) {
                    Await.until("the first transaction", LIMIT, () -> {
                        reader.poll(out, Duration.ofMillis(100));
                        return !out.changes().isEmpty() && !out.markers().isEmpty();
                    });
                }
                first = out.markers().stream()
                        .filter(marker -> marker instanceof RaisedLsn)
                        .findFirst()
                        .orElseThrow(() -> new AssertionError("no raised end is given with a position"));
                target.apply(out.changes().get(0));
            }
            loop.progress(new SplitProgress(loop.log().plan().id(), first, false));
            finish(loop, db, target);

            assertEqual(target, db);
            assertThat(target.nothingToDo)
                    .as(
                            "of the row that was not there when it was read, in a session after the one that raised the end")
                    .isPositive();
        }
    }

    /** The server has written of its log what it has not flushed when the row is read, and when the next session begins. */
    @Test
    void doesNotReadATableAgainBecauseARowWasReadBeforeTheLogWasFlushed() throws Exception {
        try (PostgresServer server = PostgresServer.version(17)
                        .setting("wal_writer_delay", "10s")
                        .start();
                Connection writing = server.connect("postgres");
                Statement statement = writing.createStatement()) {
            server.execute(TABLE);
            SourceLoop loop = new SourceLoop(Sources.of(server));
            try (SourceSession session = loop.open()) {
                loop.prepare(session);
                loop.read(session, chunksLeft(loop).get(0).plan());
            }
            server.execute("UPDATE t SET id = 5 WHERE id = " + ROWS * 10);
            try (SourceSession session = loop.open()) {
                loop.prepare(session);
                loop.readSnapshot(session);
            }
            server.execute("UPDATE t SET n = 7 WHERE id = 5");
            Checkpoint before;
            try (SourceSession session = loop.open()) {
                loop.prepare(session);
                writing.setAutoCommit(false);
                statement.execute("INSERT INTO t VALUES (-2, 0, 'f', 'v')");
                loop.readLog(session, changes -> changes.stream().anyMatch(text -> text.contains(" n=7 ")));
                before = loop.durable;
                assertThat(loop.log().progress().position()).isInstanceOf(RaisedLsn.class);
            }
            writing.rollback();
            assertThat(server.query("SELECT pg_current_wal_insert_lsn() > pg_current_wal_flush_lsn()"))
                    .containsExactly("t");
            try (SourceSession session = loop.open()) {
                loop.prepare(session);
            }
            assertThat(loop.durable).isEqualTo(before);
        }
    }

    @Test
    void readsATableFromTheBeginningIfItsRowsAreNotWhatTheyWere() throws Exception {
        for (String statement : List.of(
                "ALTER TABLE t ALTER n TYPE bigint", "VACUUM FULL t", "ALTER TABLE t ADD extra text DEFAULT 'x'")) {
            try (SharedPostgres.Database db = SharedPostgres.version(18).fresh()) {
                table(db);
                SourceLoop loop = new SourceLoop(Sources.of(db));
                int chunks;
                try (SourceSession session = loop.open()) {
                    loop.prepare(session);
                    chunks = chunksLeft(loop).size();
                    loop.read(session, chunksLeft(loop).get(0).plan());
                }
                db.execute(statement);
                try (SourceSession session = loop.open()) {
                    loop.prepare(session);
                    assertThat(chunksLeft(loop))
                            .as(statement)
                            .hasSize(chunks + 1)
                            .first()
                            .satisfies(split -> assertThat(split.plan().id())
                                    .startsWith("a2/")
                                    .endsWith("/truncate"));
                }
            }
        }
    }

    /** Any sequence of reading, breaking off and writing. */
    @Test
    void anUpsertTableEqualsTheSourceHoweverOftenTheSnapshotIsBrokenOff() {
        Property.check("catch-up", 8, choices -> {
            try (SharedPostgres.Database db = SharedPostgres.version(17).fresh()) {
                table(db);
                SourceLoop loop = new SourceLoop(Sources.of(db));
                UpsertTable target = new UpsertTable();
                int sessions = 1 + choices.below(4);
                for (int i = 0; i < sessions; i++) {
                    try (SourceSession session = loop.open()) {
                        write(db, choices);
                        loop.prepare(session);
                        write(db, choices);
                        int chunks = choices.below(3);
                        for (int c = 0; c < chunks && !chunksLeft(loop).isEmpty(); c++) {
                            chunk(loop, session, choices);
                            apply(loop, target);
                            write(db, choices);
                        }
                    }
                }
                finish(loop, db, target);
                assertEqual(target, db);
            }
        });
    }

    /** Reads a chunk that may be read now, or a part of it: then it is delivered, and not done. */
    private static void chunk(SourceLoop loop, SourceSession session, Choices choices) throws Exception {
        List<SplitState> left = chunksLeft(loop);
        boolean truncate = left.get(0).plan().spec().startsWith("truncate");
        SplitState split = left.get(truncate ? 0 : choices.below(left.size()));
        if (truncate || choices.below(3) > 0) {
            loop.read(session, split.plan());
            return;
        }
        try (SplitReader reader = session.open(split.plan(), null)) {
            reader.poll(loop.output(), Duration.ofMillis(1));
        }
    }

    private static void write(SharedPostgres.Database db, Choices choices) throws SQLException {
        for (int i = choices.below(6); i > 0; i--) {
            int id = choices.below(ROWS + 200) * 10;
            int other = choices.below(ROWS + 200) * 10 + choices.below(2);
            switch (choices.below(7)) {
                case 0, 1, 2 ->
                    db.execute("UPDATE t SET id = " + other + " WHERE id = " + id
                            + " AND NOT EXISTS (SELECT FROM t WHERE id = " + other + ")");
                case 3 -> db.execute("UPDATE t SET n = n + 1 WHERE id = " + id);
                case 4 -> db.execute("UPDATE t SET value = " + VALUE + " WHERE id = " + id);
                case 5 -> db.execute("DELETE FROM t WHERE id = " + id);
                default ->
                    db.execute("INSERT INTO t SELECT " + other + ", 0, " + FILLER + ", " + VALUE
                            + " WHERE NOT EXISTS (SELECT FROM t WHERE id = " + other + ")");
            }
        }
    }
}
