package io.tidegate.server.cli;

import io.tidegate.spi.Discovery;
import io.tidegate.spi.Discovery.Entry;
import io.tidegate.spi.Discovery.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Writes down a pipeline of what was found, as the text of a file with comments. Pure. */
final class InitFile {

    private static final int UNIT = 1024;
    private static final List<String> UNITS = List.of("B", "KiB", "MiB", "GiB", "TiB");

    private final List<String> lines = new ArrayList<>();

    private InitFile() {}

    /** @param file how the file will be called, for the commands in its comments */
    static String text(String file, String pipeline, String source, Discovery found, InitSink sink) {
        InitFile text = new InitFile();
        text.head(file, pipeline, found);
        text.source(source, found);
        text.lines.add("");
        text.lines.addAll(sink.lines());
        text.lines.addAll(List.of(
                "",
                "# Everything else has a default. Where the checkpoint is kept, for example:",
                "# state:",
                "#   dir: state",
                ""));
        return String.join("\n", text.lines);
    }

    private void head(String file, String pipeline, Discovery found) {
        lines.addAll(List.of(
                "# " + plain(found.place()) + ".",
                "# Written by 'tidegate init'; all keys are in docs/configuration.md. What comes next:",
                "#   tidegate check " + plain(file) + "    says everything that is missing",
                "#   tidegate run " + plain(file) + "      delivers all rows, then every change",
                "",
                "# State, slot and metrics carry this name: a new name is a new pipeline.",
                "pipeline: " + pipeline,
                ""));
    }

    private void source(String source, Discovery found) {
        lines.addAll(List.of("source:", "  " + source + ":"));
        for (Entry entry : found.settings()) {
            lines.add("    " + (entry.active() ? "" : "# ") + entry.key() + ": " + scalar(entry.text()));
        }
        lines.add("    # A pattern selects too: * stands for any characters, ? for one.");
        lines.add("    " + found.tablesKey() + ":");
        for (Table table : found.tables()) {
            if (table.captured()) {
                lines.add("      - " + scalar(table.name().replace("${", "$${")) + "  # " + plain(measures(table)));
            }
        }
        List<Table> left = found.tables().stream()
                .filter(table -> table.selected() && !table.captured())
                .toList();
        if (!left.isEmpty()) {
            lines.add("      # Left out:");
            for (Table table : left) {
                lines.add("      # - " + plain(table.name() + "  " + obstacle(table)));
            }
        }
    }

    /** How large a table is, and what identifies its rows. */
    static String measures(Table table) {
        return (table.rows() < 0 ? "rows unknown" : "about " + table.rows() + " rows") + ", "
                + (table.bytes() < 0 ? "size unknown" : size(table.bytes())) + ", " + table.key();
    }

    /** Why a table is left out, and what mends that. */
    static String obstacle(Table table) {
        return table.obstacle() + (table.cure().isEmpty() ? "" : "; to mend it: " + table.cure());
    }

    private static String size(long bytes) {
        double value = bytes;
        int unit = 0;
        while (value >= UNIT && unit < UNITS.size() - 1) {
            value /= UNIT;
            unit++;
        }
        return String.format(Locale.ROOT, unit == 0 || value >= 10 ? "%.0f %s" : "%.1f %s", value, UNITS.get(unit));
    }

    /** For a comment, or a line on the screen: names can hold line ends. */
    static String plain(String text) {
        return text.replaceAll("[\\p{Cntrl}\\u0085\\u2028\\u2029]", "?");
    }

    /** A text as YAML has it, in quotes if it would be read as something else. */
    static String scalar(String text) {
        if (text.matches("[A-Za-z_][A-Za-z0-9_.]*\\.[A-Za-z0-9_$]+|[a-z]+://[A-Za-z0-9_.:/?=&%@~-]*[A-Za-z0-9_/]"
                + "|\\$\\{env:[A-Za-z0-9_]+\\}")) {
            return text;
        }
        if (plain(text).equals(text)) {
            return "'" + text.replace("'", "''") + "'";
        }
        StringBuilder quoted = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                quoted.append('\\').append(c);
            } else if (plain(String.valueOf(c)).charAt(0) != c) {
                quoted.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
            } else {
                quoted.append(c);
            }
        }
        return quoted.append('"').toString();
    }
}
