package io.tidegate.connector.postgres.birth;

import io.tidegate.connector.postgres.position.Lsn;
import io.tidegate.connector.postgres.position.RaisedLsn;
import io.tidegate.connector.postgres.server.Relation;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.Position;
import io.tidegate.spi.SourceRecord;
import io.tidegate.spi.TidegateException;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What is written of one captured table, by its OID. Immutable.
 *
 * @param oid of the table
 * @param schema unquoted, as last seen
 * @param name unquoted, as last seen
 * @param attempt the newest attempt at reading its rows; 0 before the first
 * @param point H of that attempt; null: no change of the log is left out
 * @param way what the log does with changes of commits before H (rule 9)
 * @param identity what must be as it was if done chunks are to be kept; empty: they never are
 * @param columns as {@link ColumnChanges#text} gives them; empty: not known
 * @param due its rows are to be read again, from the beginning
 * @param marker the next attempt begins with a truncate even if it is the first: something of that name was read before
 * @param lost why its changes are not delivered any more; empty if they are
 */
record TableRecord(
        long oid,
        String schema,
        String name,
        int attempt,
        @Nullable Lsn point,
        Way way,
        String identity,
        String columns,
        boolean due,
        boolean marker,
        String lost) {

    static final String PREFIX = "table.";

    /** What the log does with changes that a snapshot may contain. */
    enum Way {
        /** All rows are read under one snapshot: changes of before H are left out. */
        SKIP,
        /** Rows were read under several snapshots: changes of before H are given, marked (rule 8). */
        CATCH_UP;

        private String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** One whose rows were not read yet. */
    static TableRecord joined(Relation table, String columns, boolean marker) {
        return new TableRecord(
                table.oid(), table.schema(), table.name(), 0, null, Way.SKIP, "", columns, false, marker, "");
    }

    boolean isLost() {
        return !lost.isEmpty();
    }

    /** Whether the log, read on from there, is in catch-up for this table. */
    boolean isBefore(Position position) {
        Lsn h = point;
        return way == Way.CATCH_UP
                && h != null
                && (RaisedLsn.lsn(position).isBefore(h)
                        || RaisedLsn.lsn(position).isBefore(RaisedLsn.catchUpEnd(position)));
    }

    String display() {
        return schema + "." + name;
    }

    TableRecord renamed(String newSchema, String newName) {
        return new TableRecord(oid, newSchema, newName, attempt, point, way, identity, columns, due, marker, lost);
    }

    TableRecord columns(String now) {
        return new TableRecord(oid, schema, name, attempt, point, way, identity, now, due, marker, lost);
    }

    TableRecord lost(String why) {
        return new TableRecord(oid, schema, name, attempt, point, way, identity, columns, due, marker, why);
    }

    /** To be read again. */
    TableRecord again() {
        return new TableRecord(oid, schema, name, attempt, point, way, identity, columns, true, marker, lost);
    }

    TableRecord found() {
        return lost("");
    }

    /** An attempt that reads all rows anew. */
    TableRecord begun(int newAttempt, Lsn newPoint, String newIdentity) {
        return new TableRecord(
                oid, schema, name, newAttempt, newPoint, Way.SKIP, newIdentity, columns, false, false, "");
    }

    /** An attempt that keeps what is done. */
    TableRecord resumed(int newAttempt, Lsn newPoint) {
        return new TableRecord(
                oid, schema, name, newAttempt, newPoint, Way.CATCH_UP, identity, columns, false, false, "");
    }

    static String prefix(long oid) {
        return PREFIX + oid + ".";
    }

    Map<String, String> entries() {
        Map<String, String> entries = new TreeMap<>();
        put(entries, "schema", schema);
        put(entries, "name", name);
        put(entries, "attempt", Integer.toString(attempt));
        put(entries, "point", point == null ? "" : point.toString());
        put(entries, "way", way.word());
        put(entries, "identity", identity);
        put(entries, "columns", columns);
        put(entries, "due", due ? "true" : "");
        put(entries, "marker", marker ? "true" : "");
        put(entries, "lost", lost);
        return entries;
    }

    private void put(Map<String, String> entries, String name, String value) {
        if (!value.isEmpty()) {
            entries.put(prefix(oid) + name, value);
        }
    }

    static boolean isIn(SourceRecord source, long oid) {
        return source.get(prefix(oid) + "attempt") != null;
    }

    static TableRecord of(SourceRecord source, long oid) {
        String point = text(source, oid, "point");
        return new TableRecord(
                oid,
                text(source, oid, "schema"),
                text(source, oid, "name"),
                Integer.parseInt(text(source, oid, "attempt")),
                point.isEmpty() ? null : Lsn.parse(point),
                way(text(source, oid, "way")),
                text(source, oid, "identity"),
                text(source, oid, "columns"),
                text(source, oid, "due").equals("true"),
                text(source, oid, "marker").equals("true"),
                text(source, oid, "lost"));
    }

    private static String text(SourceRecord source, long oid, String name) {
        String text = source.get(prefix(oid) + name);
        return text == null ? "" : text;
    }

    private static Way way(String word) {
        for (Way way : Way.values()) {
            if (way.word().equals(word)) {
                return way;
            }
        }
        throw new TidegateException(ErrorCode.STATE_DAMAGED, "the state has an unknown way '" + word + "' of a table");
    }
}
