package io.tidegate.chaos;

import io.tidegate.testkit.postgres.PostgresServer;
import java.sql.SQLException;
import java.util.SplittableRandom;

/**
 * Some of everything over several tables.
 *
 * @param truncating whether a table is truncated now and then: each time, a snapshot that has not read it yet starts again
 */
record MixedWork(boolean truncating) implements Work {

    /**
     * Makes the tables. {@code bulk} is large and never written: it makes a snapshot last.
     *
     * @param bulkRows of about 1 KB
     */
    static void createTables(PostgresServer server, String database, int bulkRows) throws SQLException {
        server.executeIn(
                database,
                "CREATE TABLE ledger (id bigserial PRIMARY KEY, tab text NOT NULL, op text NOT NULL, n int NOT NULL,"
                        + " token bigint NOT NULL)",
                "CREATE TABLE account (id bigint PRIMARY KEY, token bigint NOT NULL, amount numeric, note text)",
                "CREATE TABLE doc (id bigint PRIMARY KEY, token bigint NOT NULL, body text, meta jsonb)",
                "ALTER TABLE doc ALTER body SET STORAGE EXTERNAL",
                "CREATE TABLE pair (a int, b text, token bigint NOT NULL, body text, PRIMARY KEY (a, b))",
                "ALTER TABLE pair REPLICA IDENTITY FULL",
                "ALTER TABLE pair ALTER body SET STORAGE EXTERNAL",
                "CREATE TABLE scratch (id bigint PRIMARY KEY, token bigint NOT NULL)",
                "CREATE TABLE bulk (id bigint PRIMARY KEY, token bigint NOT NULL, filler text NOT NULL)",
                "ALTER TABLE bulk ALTER filler SET STORAGE PLAIN",
                "INSERT INTO bulk SELECT i, 0, repeat(md5(i::text), 30) FROM generate_series(1, " + bulkRows + ") i",
                "INSERT INTO account SELECT i, 0, i / 7.0, 'born' FROM generate_series(1, 500) i",
                "INSERT INTO doc SELECT i, 0, repeat(md5(i::text), 100), '{\"v\": 1.50}' FROM generate_series(1, 100) i");
    }

    @Override
    public void shortTransaction(LedgerWriter writer, int number, SplittableRandom random) throws SQLException {
        int statements = 1 + random.nextInt(5);
        for (int i = 0; i < statements; i++) {
            switch (random.nextInt(12)) {
                case 0, 1, 2, 3 -> changeAccounts(writer, 1_000 * (number + 1), random);
                case 4, 5, 6 -> changeDocs(writer, random);
                case 7, 8 -> changePairs(writer, random);
                case 9 ->
                    writer.write(
                            "scratch",
                            "c",
                            "INSERT INTO scratch SELECT nextval('ledger_id_seq'), ? FROM generate_series(1, 5)");
                case 10 -> {
                    if (random.nextInt(20) == 0 && truncating) {
                        truncate(writer);
                    }
                }
                default -> writer.undone(random.nextInt(1_000));
            }
        }
    }

    /** Keys of its own: nobody waits for it, and it for nobody. */
    @Override
    public void longPart(LedgerWriter writer, SplittableRandom random) throws SQLException {
        changeAccounts(writer, 900_000, random);
    }

    static void truncate(LedgerWriter writer) throws SQLException {
        writer.execute("TRUNCATE scratch");
        writer.enter("scratch", "t", 1);
    }

    /** Changes so many rows; gives the token of the last entry. */
    static long large(LedgerWriter writer, long base, int rows) throws SQLException {
        writer.write(
                "account",
                "c",
                "INSERT INTO account SELECT " + base + " + i, ?, i, 'large' FROM generate_series(1, " + rows + ") i");
        writer.write("account", "u", "UPDATE account SET token = ?, note = 'moved', id = -id WHERE id > " + base);
        writer.write("account", "d", "DELETE FROM account WHERE id < -" + (base + rows / 10));
        return writer.enter("mark", "m", 0);
    }

    /** Rows of a range of keys: inserts, updates of many, moves to other keys, deletes. */
    private static void changeAccounts(LedgerWriter writer, int base, SplittableRandom random) throws SQLException {
        int key = base + random.nextInt(200);
        switch (random.nextInt(4)) {
            case 0 ->
                writer.write(
                        "account",
                        "c",
                        "INSERT INTO account SELECT i, ?, random(), 'new' FROM generate_series(" + key + ", "
                                + (key + 9) + ") i WHERE NOT EXISTS (SELECT FROM account WHERE id = i)");
            case 1 ->
                writer.write(
                        "account",
                        "u",
                        "UPDATE account SET token = ?, amount = amount + 1 WHERE id BETWEEN " + key + " AND "
                                + (key + 20));
            case 2 ->
                writer.write(
                        "account",
                        "u",
                        "UPDATE account SET token = ?, id = id + 500 WHERE id BETWEEN " + key + " AND " + (key + 3)
                                + " AND NOT EXISTS (SELECT FROM account x WHERE x.id BETWEEN " + (key + 500) + " AND "
                                + (key + 503) + ")");
            default ->
                writer.write(
                        "account",
                        "d",
                        "DELETE FROM account WHERE id BETWEEN " + key + " AND " + (key + 5) + " OR id BETWEEN "
                                + (key + 500) + " AND " + (key + 505));
        }
    }

    /** Large values that stay where they are, also when their row moves to another key. */
    private static void changeDocs(LedgerWriter writer, SplittableRandom random) throws SQLException {
        int key = 1 + random.nextInt(100);
        switch (random.nextInt(5)) {
            case 0, 1, 2 ->
                writer.write(
                        "doc",
                        "u",
                        "UPDATE doc SET token = ?, meta = jsonb_build_object('n', random()::numeric) WHERE id = "
                                + key);
            case 3 ->
                writer.write(
                        "doc",
                        "u",
                        "UPDATE doc SET token = ?, body = repeat(md5(random()::text), 90 + " + random.nextInt(20)
                                + ") WHERE id = " + key);
            default -> {
                int to = random.nextInt(100) + 1;
                writer.write(
                        "doc",
                        "u",
                        "UPDATE doc SET token = ?, id = -" + to + " WHERE id = " + key
                                + " AND NOT EXISTS (SELECT FROM doc WHERE id = -" + to + ")");
                writer.write("doc", "u", "UPDATE doc SET token = ?, id = " + key + " WHERE id = -" + to);
            }
        }
    }

    /** One key deleted and inserted again, in one transaction and over several. */
    private static void changePairs(LedgerWriter writer, SplittableRandom random) throws SQLException {
        String a = Integer.toString(random.nextInt(5));
        String key = "a = " + a + " AND b = 'ä\"\\ß'";
        switch (random.nextInt(3)) {
            case 0 -> {
                writer.write("pair", "d", "DELETE FROM pair WHERE " + key);
                writer.write(
                        "pair",
                        "c",
                        "INSERT INTO pair SELECT " + a + ", 'ä\"\\ß', ?, repeat(md5(random()::text), 100)"
                                + " WHERE NOT EXISTS (SELECT FROM pair WHERE " + key + ")");
            }
            case 1 -> writer.write("pair", "u", "UPDATE pair SET token = ? WHERE " + key);
            default -> writer.write("pair", "d", "DELETE FROM pair WHERE " + key);
        }
    }
}
