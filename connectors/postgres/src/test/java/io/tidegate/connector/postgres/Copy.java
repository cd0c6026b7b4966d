package io.tidegate.connector.postgres;

import io.tidegate.connector.postgres.value.Seen;
import io.tidegate.spi.Change;
import io.tidegate.spi.ColumnState;
import io.tidegate.spi.Op;
import io.tidegate.spi.Row;
import io.tidegate.spi.TableSchema;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/** Tables as a sink has them that applies changes by key, to be compared with the source's. */
final class Copy {

    private final Map<String, Map<String, Map<String, String>>> tables = new TreeMap<>();

    void apply(Change change) {
        if (change.op() == Op.MESSAGE) {
            return;
        }
        Map<String, Map<String, String>> rows =
                tables.computeIfAbsent(change.table().display(), name -> new TreeMap<>());
        if (change.op() == Op.TRUNCATE) {
            rows.clear();
            return;
        }
        Row before = change.before();
        Row after = change.after();
        Map<String, String> old = null;
        if (change.op() == Op.UPDATE || change.op() == Op.DELETE) {
            Row held = before == null ? Objects.requireNonNull(after) : before;
            old = rows.remove(key(change.table(), held, after));
            if (old == null) {
                throw new AssertionError("no row is there for " + text(change));
            }
        }
        if (after != null) {
            rows.put(key(change.table(), after, before), merged(change.table(), after, old));
        }
    }

    private static String key(TableSchema table, Row row, Row other) {
        List<String> key = new ArrayList<>();
        for (int column : table.key()) {
            Row holder = row.state(column) == ColumnState.UNCHANGED && other != null ? other : row;
            key.add(Seen.of(holder, column));
        }
        if (key.isEmpty()) {
            throw new AssertionError(table.display() + " has no key to apply a change by");
        }
        return String.join(",", key);
    }

    private static Map<String, String> merged(TableSchema table, Row row, Map<String, String> old) {
        Map<String, String> values = new LinkedHashMap<>();
        for (int i = 0; i < table.columns().size(); i++) {
            String name = table.columns().get(i).name();
            boolean kept = row.state(i) == ColumnState.UNCHANGED;
            values.put(name, kept ? Objects.requireNonNull(old).get(name) : Seen.of(row, i));
        }
        return values;
    }

    /** The rows of a table in the order of their keys' texts. */
    List<String> rows(String table) {
        return tables.getOrDefault(table, Map.of()).values().stream()
                .map(Map::toString)
                .toList();
    }

    /** The values of a row, as {@link Seen} writes them. */
    static List<String> values(Row row, TableSchema table) {
        List<String> values = new ArrayList<>();
        for (int i = 0; i < table.columns().size(); i++) {
            values.add(Seen.of(row, i));
        }
        return values;
    }

    /** Op, table, key columns, and what is known of both rows; long values are cut. */
    static String text(Change change) {
        TableSchema table = change.table();
        List<String> key = table.key().stream()
                .map(column -> table.columns().get(column).name())
                .toList();
        return change.op().code() + " " + table.display() + " " + key + row(" -", table, change.before())
                + row(" +", table, change.after());
    }

    private static String row(String sign, TableSchema table, Row row) {
        if (row == null) {
            return "";
        }
        List<String> values = new ArrayList<>();
        for (int i = 0; i < table.columns().size(); i++) {
            if (row.state(i) != ColumnState.ABSENT) {
                String seen = Seen.of(row, i).replaceFirst("^(int|string):", "");
                values.add(
                        table.columns().get(i).name() + "=" + (seen.length() > 60 ? "<" + seen.length() + ">" : seen));
            }
        }
        return sign + String.join(" ", values);
    }
}
