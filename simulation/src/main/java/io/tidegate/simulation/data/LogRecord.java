package io.tidegate.simulation.data;

import io.tidegate.spi.SourceRecord;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the source of tables writes down about itself, read out of its record. Immutable. */
public record LogRecord(SourceRecord entries) {

    private static final String INTENT = "slot.intent";
    private static final String POINT = "slot.point";
    private static final String PLAN = "plan";

    /**
     * What is written of a table that is captured.
     *
     * @param attempt the newest one
     * @param h of that attempt
     * @param catchUp how the log before H is read: with care, else not at all
     */
    public record Entry(int attempt, long h, boolean catchUp) {}

    public boolean intended() {
        return entries.get(INTENT) != null;
    }

    public LogRecord intend() {
        return new LogRecord(entries.with(INTENT, "create"));
    }

    /** Where the log begins; -1: the slot is not known to be there. */
    public long point() {
        String text = entries.get(POINT);
        return text == null ? -1 : Long.parseLong(text);
    }

    public LogRecord point(long at) {
        return new LogRecord(entries.with(POINT, Long.toString(at)));
    }

    /** Counts the writes of splits; in all their ids. */
    public int plan() {
        String text = entries.get(PLAN);
        return text == null ? 0 : Integer.parseInt(text);
    }

    public LogRecord plan(int number) {
        return new LogRecord(entries.with(PLAN, Integer.toString(number)));
    }

    /** Null: it is not captured, or not planned yet. */
    public @Nullable Entry table(int table) {
        String text = entries.get("table." + table);
        if (text == null) {
            return null;
        }
        String[] parts = text.split(" ", -1);
        return new Entry(Integer.parseInt(parts[0]), Long.parseLong(parts[1]), parts[2].equals("catch-up"));
    }

    public LogRecord table(int table, Entry entry) {
        String text = entry.attempt() + " " + entry.h() + " " + (entry.catchUp() ? "catch-up" : "skip");
        return new LogRecord(
                entries.with("table." + table, text).with("attempts." + table, Integer.toString(entry.attempt())));
    }

    public LogRecord withoutTable(int table) {
        return new LogRecord(entries.withoutExactly("table." + table));
    }

    /** How many attempts there were at a table, also at one that has left. */
    public int attempts(int table) {
        String text = entries.get("attempts." + table);
        return text == null ? 0 : Integer.parseInt(text);
    }

    /** The tables that have an entry. */
    public List<Integer> tables() {
        List<Integer> tables = new ArrayList<>();
        for (int i = 0; i < Tables.COUNT; i++) {
            if (table(i) != null) {
                tables.add(i);
            }
        }
        return tables;
    }

    /** Whether the log has to give this change. */
    public boolean gives(LogChange change) {
        Entry entry = table(change.table());
        return entry != null && (entry.catchUp() || change.commitAt() >= entry.h());
    }
}
