package io.tidegate.connector.postgres;

import io.tidegate.spi.Change;
import io.tidegate.spi.ColumnState;
import io.tidegate.spi.Op;
import io.tidegate.spi.Row;
import java.util.Map;
import java.util.TreeMap;

/**
 * One table that changes are written to by key, as a sink for tables does: complete rows replace, partial ones need the row
 * that they change, except in catch-up, where an update of a missing row has nothing to do.
 */
final class UpsertTable {

    /** Rows by the text of their first column. */
    final Map<String, Map<String, String>> rows = new TreeMap<>();

    int nothingToDo;
    int moved;

    void apply(Change change) {
        if (change.op() == Op.TRUNCATE) {
            rows.clear();
            return;
        }
        Row before = change.before();
        Row after = change.after();
        if (after == null) {
            rows.remove(text(before, 0));
            return;
        }
        String key = text(after, 0);
        String oldKey = before == null ? key : text(before, 0);
        Map<String, String> row = rows.get(key);
        if (!oldKey.equals(key)) {
            Map<String, String> old = rows.remove(oldKey);
            row = row == null ? old : row;
            moved++;
        }
        boolean complete = true;
        for (int i = 0; i < change.table().columns().size(); i++) {
            complete &= after.state(i) != ColumnState.UNCHANGED;
        }
        if (row == null && !complete) {
            if (!change.origin().catchUp()) {
                throw new AssertionError("an update of a part of row " + key + ", which is not there: "
                        + change.origin().position());
            }
            nothingToDo++;
            return;
        }
        Map<String, String> next = row == null ? new TreeMap<>() : new TreeMap<>(row);
        for (int i = 0; i < change.table().columns().size(); i++) {
            if (after.state(i) != ColumnState.UNCHANGED) {
                next.put(change.table().columns().get(i).name(), text(after, i));
            }
        }
        rows.put(key, next);
    }

    private static String text(Row row, int column) {
        if (row.state(column) != ColumnState.VALUE) {
            return row.state(column).name();
        }
        StringBuilder text = new StringBuilder();
        row.visit(column, new SourceLoop.TextVisitor(text));
        return text.toString();
    }
}
