package io.tidegate.connector.postgres;

import io.tidegate.spi.SourceSession;
import io.tidegate.testkit.postgres.SharedPostgres;
import java.util.ArrayList;
import java.util.List;

/** A database whose tables are captured: first by a snapshot, then, while statements are executed, from the log. */
final class Shop implements AutoCloseable {

    final SharedPostgres.Database db;
    final SourceLoop loop;
    final Copy copy = new Copy();
    private final SourceSession session;
    private int given;
    private int ends;

    /**
     * Makes the tables and reads their rows.
     *
     * @param settings of the source, keys and values in turn
     */
    Shop(SharedPostgres.Database db, List<String> settings, String... tables) throws Exception {
        this.db = db;
        db.execute("CREATE TABLE the_end (id int PRIMARY KEY)");
        db.execute(tables);
        loop = new SourceLoop(Sources.of(db, settings.toArray(String[]::new)));
        session = loop.open();
        loop.prepare(session);
        loop.readSnapshot(session);
    }

    Shop(int version, String... tables) throws Exception {
        this(SharedPostgres.version(version).fresh(), List.of(), tables);
    }

    SourceSession session() {
        return session;
    }

    /** What came since the last question; at first the rows of the snapshot. */
    List<String> given() {
        List<String> texts = new ArrayList<>();
        for (; given < loop.taken.size(); given++) {
            copy.apply(loop.taken.get(given));
            if (!loop.taken.get(given).table().name().equals("the_end")) {
                texts.add(Copy.text(loop.taken.get(given)));
            }
        }
        return texts;
    }

    /** Executes statements on one connection, reads the log up to there, and gives what it holds. */
    List<String> after(String... sql) throws Exception {
        given();
        db.execute(sql);
        String end = "c public.the_end id=" + ++ends;
        db.execute("INSERT INTO the_end VALUES (" + ends + ")");
        loop.readLog(session, changes -> changes.contains(end));
        return given();
    }

    @Override
    public void close() throws Exception {
        session.close();
        db.close();
    }
}
