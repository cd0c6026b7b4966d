package io.tidegate.chaos;

import io.tidegate.testkit.postgres.PostgresServer;
import java.sql.SQLException;
import java.util.SplittableRandom;

/**
 * Rows of one large table that move to other keys, far away and back, and take a value in TOAST with them that is not in the
 * log; that are changed, deleted and inserted again.
 */
final class MovingWork implements Work {

    static final String TABLE = "item";

    /** Keys are so far apart, so that a moved row finds a place. */
    private static final int GAP = 10;

    private final int rows;

    MovingWork(int rows) {
        this.rows = rows;
    }

    /**
     * Makes the table, in many chunks by key of about 1,000 rows for each MiB. Its statistics stay: with those of rows that moved
     * the next attempt would cut it by pages, and keep nothing.
     */
    void createTable(PostgresServer server, String database) throws SQLException {
        server.executeIn(
                database,
                "CREATE TABLE item (id bigint PRIMARY KEY, token bigint NOT NULL, filler text NOT NULL, body text)"
                        + " WITH (autovacuum_enabled = false)",
                "ALTER TABLE item ALTER filler SET STORAGE PLAIN",
                "ALTER TABLE item ALTER body SET STORAGE EXTERNAL",
                "INSERT INTO item SELECT i * " + GAP + ", 0, repeat(md5(i::text), 28), repeat(md5((-i)::text), 50)"
                        + " FROM generate_series(1, " + rows + ") i",
                "ANALYZE item");
    }

    @Override
    public void shortTransaction(LedgerWriter writer, int thread, SplittableRandom random) throws SQLException {
        long from = key(random);
        switch (random.nextInt(8)) {
            case 0, 1, 2 -> move(writer, from, key(random) - from + 1 + random.nextInt(GAP - 1));
            case 3 -> {
                long to = key(random) + 1 + random.nextInt(GAP - 1);
                move(writer, from, to - from);
                move(writer, to, key(random) - to + 1 + random.nextInt(GAP - 1));
            }
            case 4 -> writer.write(TABLE, "u", "UPDATE item SET token = ? WHERE " + range(from));
            case 5 ->
                writer.write(
                        TABLE,
                        "u",
                        "UPDATE item SET token = ?, body = repeat(md5(random()::text), 40 + " + random.nextInt(20)
                                + ") WHERE " + range(from));
            case 6 -> writer.write(TABLE, "d", "DELETE FROM item WHERE " + range(from));
            default -> insert(writer, from);
        }
    }

    @Override
    public void longPart(LedgerWriter writer, SplittableRandom random) throws SQLException {
        insert(writer, -key(random)); // keys of its own: nobody waits for it
    }

    /**
     * Moves rows from each end of the keys to the other one, and some of them on, and deletes some: what a snapshot that was
     * cut off in between has read of the one end, and not of the other.
     */
    void acrossAllChunks(LedgerWriter writer) throws SQLException {
        long low = GAP * (long) (rows / 10);
        long high = GAP * (long) (rows - rows / 10);
        for (int i = 0; i < 10; i++) {
            long step = 10L * GAP * i;
            move(writer, high + step, low - high + 3);
            move(writer, low + step, high - low + 7);
        }
        move(writer, low + 3, 10L * GAP * 5 + 1);
        writer.write(TABLE, "d", "DELETE FROM item WHERE " + range(low + 3 + 10L * GAP));
    }

    private static void move(LedgerWriter writer, long from, long by) throws SQLException {
        writer.write(
                TABLE,
                "u",
                "UPDATE item SET token = ?, id = id + " + by + " WHERE " + range(from)
                        + " AND NOT EXISTS (SELECT FROM item x WHERE x.id BETWEEN " + (from + by) + " AND "
                        + (from + by + 4 * GAP) + " AND x.id % " + GAP + " = " + Math.floorMod(from + by, GAP) + ")");
    }

    private static void insert(LedgerWriter writer, long from) throws SQLException {
        writer.write(
                TABLE,
                "c",
                "INSERT INTO item SELECT i, ?, repeat(md5(i::text), 28), repeat(md5(random()::text), 50)"
                        + " FROM generate_series(" + from + ", " + (from + 3 * GAP) + ", " + GAP + ") i"
                        + " WHERE NOT EXISTS (SELECT FROM item WHERE id = i)");
    }

    private static String range(long from) {
        return "id BETWEEN " + from + " AND " + (from + 3 * GAP) + " AND id % " + GAP + " = "
                + Math.floorMod(from, GAP);
    }

    private long key(SplittableRandom random) {
        return GAP * (1L + random.nextInt(rows));
    }
}
