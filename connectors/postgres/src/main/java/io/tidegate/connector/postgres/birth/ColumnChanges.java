package io.tidegate.connector.postgres.birth;

import io.tidegate.connector.postgres.server.SqlSession;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * DDL that changes rows without a trace in the log: a type that is changed rewrites all values, a column that is added with a
 * default gives every old row one (rule 11). What the target has of old rows is then not what the source has.
 */
public final class ColumnChanges {

    private static final String COLUMNS = "SELECT a.attrelid::bigint, a.attnum, a.atttypid::bigint, a.atttypmod,"
            + " a.attname, format_type(a.atttypid, a.atttypmod),"
            + " a.atthasmissing OR (a.atthasdef AND a.attgenerated = '') OR a.attidentity <> ''"
            + " FROM pg_attribute a WHERE a.attrelid::bigint = ANY (CAST(? AS bigint[])) AND a.attnum > 0"
            + " AND NOT a.attisdropped ORDER BY 1, 2";

    /**
     * One column.
     *
     * @param number which it keeps whatever its name is
     * @param filled whether rows that were there when it was added may have got a value
     */
    private record Column(int number, String type, String name, String typeName, boolean filled) {}

    private final Map<Long, List<Column>> tables = new HashMap<>();

    /** The columns of some tables as they are now. */
    static ColumnChanges read(SqlSession control, Set<Long> tables) {
        ColumnChanges now = new ColumnChanges();
        control.query(
                        COLUMNS,
                        row -> Map.entry(
                                row.getLong(1),
                                new Column(
                                        row.getInt(2),
                                        row.getLong(3) + "/" + row.getInt(4),
                                        row.getString(5),
                                        row.getString(6),
                                        row.getBoolean(7))),
                        (Object) tables.toArray(Long[]::new))
                .forEach(column -> now.tables
                        .computeIfAbsent(column.getKey(), oid -> new ArrayList<>())
                        .add(column.getValue()));
        return now;
    }

    /** One sentence for each table of which old rows changed since the record was written. */
    public static List<String> warnings(SqlSession control, BirthRecord record) {
        return read(control, record.tables().keySet()).warnings(record);
    }

    List<String> warnings(BirthRecord record) {
        List<String> warnings = new ArrayList<>();
        for (TableRecord table : record.tables().values()) {
            List<String> changed = table.columns().isEmpty() || table.isLost() ? List.of() : changed(table);
            if (!changed.isEmpty()) {
                warnings.add("rows of " + table.display() + " that were there before are not what they were: "
                        + String.join(", ", changed)
                        + ", and the log does not say so. The target gets the new values by"
                        + " 'tidegate resnapshot FILE " + table.display() + "'");
            }
        }
        return warnings;
    }

    private List<String> changed(TableRecord table) {
        Map<String, String> before = Arrays.stream(table.columns().split(" ", -1))
                .map(column -> column.split(":", 2))
                .collect(Collectors.toMap(column -> column[0], column -> column[1]));
        List<String> changed = new ArrayList<>();
        for (Column column : tables.getOrDefault(table.oid(), List.of())) {
            String was = before.get(Integer.toString(column.number()));
            if (was == null && column.filled()) {
                changed.add("column " + column.name() + " was added with a value for every row");
            } else if (was != null && !was.equals(column.type())) {
                changed.add("column " + column.name() + " became " + column.typeName());
            }
        }
        return changed;
    }

    /** The record with the columns that the tables have now. */
    BirthRecord in(BirthRecord record) {
        BirthRecord next = record;
        for (TableRecord table : record.tables().values()) {
            String now = text(table.oid());
            if (!now.isEmpty() && !now.equals(table.columns())) {
                next = next.with(table.columns(now));
            }
        }
        return next;
    }

    /** Number, type and modifier of each column of a table; empty if the table is not there. */
    String text(long table) {
        return tables.getOrDefault(table, List.of()).stream()
                .map(column -> column.number() + ":" + column.type())
                .collect(Collectors.joining(" "));
    }
}
