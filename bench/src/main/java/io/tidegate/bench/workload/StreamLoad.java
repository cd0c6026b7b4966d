package io.tidegate.bench.workload;

import java.util.List;
import java.util.Locale;

/**
 * What is written into the log for a stream workload, by one session of the server alone.
 *
 * @param before statements before the log is marked
 * @param load statements whose changes are read
 * @param changes how many of the changes are published
 * @param mark what the last change contains and no other
 */
record StreamLoad(String name, List<String> before, List<String> load, long changes, String mark) {

    static final String TABLE = "public.events";

    static final String PUBLICATION = "CREATE PUBLICATION bench FOR TABLE events";

    /** Of the text that fills a row up to about 190 bytes. */
    private static final int NOTE_BYTES = 130;

    /** About 190 bytes of column text a row: a key, four short columns, and a text that fills up. */
    static String table(String keyType) {
        return "CREATE TABLE events (id " + keyType + " PRIMARY KEY, account integer NOT NULL, amount numeric(12,2) NOT"
                + " NULL, created timestamptz NOT NULL, status text NOT NULL, note text NOT NULL)";
    }

    /** Inserts rows for a stretch of numbers {@code i}. */
    static String insert(String key, Object from, Object to) {
        return insert(key, NOTE_BYTES, from, to);
    }

    private static String insert(String key, int noteBytes, Object from, Object to) {
        return "INSERT INTO events SELECT " + key + ", (i % 100000)::integer, (i % 1000000) / 100.0, timestamptz"
                + " '2026-01-01 00:00:00+00' + i * interval '1 second', 'shipped', rpad('note ' || i, " + noteBytes
                + ", 'x') FROM generate_series(" + from + ", " + to + ") i";
    }

    static StreamLoad inserts(long changes, int perTransaction) {
        return new StreamLoad(
                "inserts of 190 bytes, transactions of " + perTransaction,
                List.of(table("bigint"), PUBLICATION),
                List.of(transactions(changes, perTransaction, insert("i", "f", "l"))),
                changes,
                Long.toString(changes));
    }

    static StreamLoad updates(long changes) {
        return new StreamLoad(
                "updates with full replica identity, transactions of 500",
                List.of(
                        table("bigint"),
                        "ALTER TABLE events REPLICA IDENTITY FULL",
                        insert("i", 1, changes),
                        "VACUUM ANALYZE events",
                        PUBLICATION),
                List.of(transactions(
                        changes,
                        500,
                        "UPDATE events SET amount = amount + 1, status = 'paid' WHERE id BETWEEN f AND l")),
                changes,
                Long.toString(changes));
    }

    static StreamLoad large(long changes) {
        return new StreamLoad(
                "inserts of 10 KB, transactions of 50",
                // a text that is one letter again and again would be compressed to nothing
                List.of(table("bigint"), "ALTER TABLE events ALTER note SET STORAGE EXTERNAL", PUBLICATION),
                List.of(transactions(changes, 50, insert("i", 10_000, "f", "l"))),
                changes,
                Long.toString(changes));
    }

    static StreamLoad oneTransaction(long changes) {
        return new StreamLoad(
                "one transaction of " + String.format(Locale.ROOT, "%,d", changes) + " inserts of 190 bytes",
                List.of(table("bigint"), PUBLICATION),
                List.of(insert("i", 1, changes)),
                changes,
                Long.toString(changes));
    }

    /** Sixty columns of the common types in turn, every sixth null. */
    static StreamLoad wide(long changes) {
        String[] types = {
            "integer",
            "text",
            "numeric(14,4)",
            "timestamp",
            "boolean",
            "uuid",
            "double precision",
            "date",
            "varchar(40)",
            "jsonb"
        };
        String[] values = {
            "(i % 100000)::integer",
            "'text of column ' || i",
            "(i % 1000000) / 7.0",
            "timestamp '2026-01-01' + i * interval '1 second'",
            "i % 2 = 0",
            "md5(i::text)::uuid",
            "i / 3.0",
            "date '2026-01-01' + (i % 1000)::integer",
            "'a short one ' || i % 1000",
            "'{\"a\": 1, \"b\": [true, null, \"x\"]}'"
        };
        StringBuilder table = new StringBuilder("CREATE TABLE events (id bigint PRIMARY KEY");
        StringBuilder row = new StringBuilder("i");
        for (int column = 1; column < 60; column++) {
            table.append(", c").append(column).append(' ').append(types[column % types.length]);
            row.append(", ").append(column % 6 == 0 ? "NULL" : values[column % values.length]);
        }
        return new StreamLoad(
                "inserts of 60 columns, transactions of 500",
                List.of(table.append(")").toString(), PUBLICATION),
                List.of(transactions(
                        changes, 500, "INSERT INTO events SELECT " + row + " FROM generate_series(f, l) i")),
                changes,
                Long.toString(changes));
    }

    /** Ten columns, and of each hundred rows written 99 go to a table that is not published. */
    static StreamLoad sparse(long rows) {
        String columns =
                "c1 integer, c2 text, c3 numeric, c4 timestamptz, c5 boolean, c6 text, c7 integer, c8 text, c9 text)";
        String values = "i, (i % 1000)::integer, 'two ' || i, i / 4.0, timestamptz '2026-01-01 00:00:00+00' + i *"
                + " interval '1 second', true, 'six', 7, 'eight ' || i, rpad('nine', 60, 'x')";
        return new StreamLoad(
                "1 % of " + String.format(Locale.ROOT, "%,d", rows) + " inserts published, transactions of 500",
                List.of(
                        "CREATE TABLE events (id bigint PRIMARY KEY, " + columns,
                        "CREATE TABLE others (id bigint PRIMARY KEY, " + columns,
                        PUBLICATION),
                List.of(transactions(
                        rows,
                        500,
                        "INSERT INTO others SELECT " + values
                                + " FROM generate_series(f, l) i WHERE i % 100 <> 0;"
                                + " INSERT INTO events SELECT " + values
                                + " FROM generate_series(f, l) i WHERE i % 100 = 0")),
                rows / 100,
                Long.toString(rows - rows % 100));
    }

    /** A block that runs statements for each stretch of numbers, from {@code f} to {@code l}, each in a transaction. */
    private static String transactions(long changes, int perTransaction, String statements) {
        return "DO $$ DECLARE f bigint := 1; l bigint; BEGIN WHILE f <= " + changes + " LOOP l := least(f + "
                + perTransaction + " - 1, " + changes + "); " + statements + "; COMMIT; f := l + 1; END LOOP; END $$";
    }
}
