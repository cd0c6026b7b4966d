package io.tidegate.bench.report;

import java.util.ArrayList;
import java.util.List;

/**
 * One table of results. A cell is a text or a number; in JSON a number stays one. Belongs to one thread.
 */
public final class Table {

    private final String title;
    private final List<String> columns;
    private final List<List<Object>> rows = new ArrayList<>();

    /** Begins an empty table; each column's name ends with its unit, such as {@code wall (s)}. */
    public Table(String title, List<String> columns) {
        this.title = title;
        this.columns = List.copyOf(columns);
    }

    /** Adds a row: as many cells as there are columns, each a text or a {@link Number}. */
    public Table row(Object... cells) {
        if (cells.length != columns.size()) {
            throw new IllegalArgumentException(
                    cells.length + " cells for " + columns.size() + " columns of \"" + title + "\"");
        }
        rows.add(List.of(cells));
        return this;
    }

    public String title() {
        return title;
    }

    public List<String> columns() {
        return columns;
    }

    public List<List<Object>> rows() {
        return List.copyOf(rows);
    }

    /** The table as Markdown, its columns aligned. */
    public String markdown() {
        List<List<String>> lines = new ArrayList<>();
        lines.add(columns);
        rows.forEach(row -> lines.add(row.stream().map(Table::text).toList()));
        int[] widths = new int[columns.size()];
        for (List<String> line : lines) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], Math.max(3, line.get(i).length()));
            }
        }
        StringBuilder out = new StringBuilder("### ").append(title).append("\n\n");
        for (int i = 0; i < lines.size(); i++) {
            line(out, lines.get(i), widths);
            if (i == 0) {
                rule(out, widths);
            }
        }
        return out.toString();
    }

    private static void line(StringBuilder out, List<String> cells, int[] widths) {
        for (int i = 0; i < widths.length; i++) {
            String pad = " ".repeat(widths[i] - cells.get(i).length());
            out.append(i == 0 ? "| " + cells.get(i) + pad : " | " + pad + cells.get(i));
        }
        out.append(" |\n");
    }

    private static void rule(StringBuilder out, int[] widths) {
        for (int i = 0; i < widths.length; i++) {
            String dashes = "-".repeat(i == 0 ? widths[i] : widths[i] - 1);
            out.append(i == 0 ? "| " + dashes : " | " + dashes + ":");
        }
        out.append(" |\n");
    }

    private static String text(Object cell) {
        return cell instanceof Number number ? Figures.number(number.doubleValue()) : cell.toString();
    }
}
