package io.tidegate.server.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Prints the status of pipelines for people: one line for each, then what there is to say about it. */
final class StatusScreen {

    private static final int BAR = 20;
    private static final int TABLES_MAX = 20;
    private static final List<String> UNITS = List.of("B", "KiB", "MiB", "GiB", "TiB");

    private final StringBuilder text = new StringBuilder();

    private StatusScreen() {}

    static String of(List<JsonNode> pipelines) {
        StatusScreen screen = new StatusScreen();
        screen.table(pipelines);
        pipelines.forEach(screen::details);
        return screen.text.toString();
    }

    private void table(List<JsonNode> pipelines) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("PIPELINE", "STATE", "DELIVERED", "DELAY", "P50", "P99", "BEHIND", "LOG KEPT", "RECONNECTS"));
        for (JsonNode pipeline : pipelines) {
            JsonNode delay = pipeline.path("delay_seconds");
            rows.add(List.of(
                    pipeline.path("pipeline").asText(),
                    pipeline.path("state").asText(),
                    number(pipeline.path("delivered")),
                    seconds(delay.path("newest")),
                    seconds(delay.path("p50")),
                    seconds(delay.path("p99")),
                    behind(pipeline.path("lag")),
                    kept(pipeline.path("measures")),
                    number(pipeline.path("reconnects"))));
        }
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder();
            for (int column = 0; column < row.size(); column++) {
                int at = column;
                int width =
                        rows.stream().mapToInt(r -> r.get(at).length()).max().orElse(0);
                line.append(row.get(column))
                        .append(" ".repeat(width - row.get(column).length() + 2));
            }
            text.append(line.toString().stripTrailing()).append('\n');
        }
    }

    /** What is settled and cannot be pruned yet. */
    private static String behind(JsonNode lag) {
        JsonNode persisted = lag.path("settled_to_persisted").path("units");
        JsonNode acknowledged = lag.path("persisted_to_acknowledged").path("units");
        return persisted.isNumber() && acknowledged.isNumber()
                ? String.format(Locale.ROOT, "%,.0f", persisted.asDouble() + acknowledged.asDouble())
                : "-";
    }

    private static String kept(JsonNode measures) {
        JsonNode retained = measures.path("retained_bytes");
        JsonNode limit = measures.path("slot_limit_bytes");
        if (!retained.isNumber()) {
            return "-";
        }
        return bytes(retained.asDouble()) + (limit.isNumber() ? " of " + bytes(limit.asDouble()) : "");
    }

    private void details(JsonNode pipeline) {
        text.append('\n').append(pipeline.path("pipeline").asText()).append('\n');
        String whyNot = pipeline.path("why_not_ready").asText();
        line(whyNot.isEmpty() ? "ready" : "not ready: " + whyNot);
        String doing = pipeline.path("doing").asText();
        if (!doing.isEmpty() && !whyNot.contains(doing)) {
            line("doing: " + doing);
        }
        positions(pipeline);
        line(number(pipeline.path("unsettled_batches")) + " batches in flight, "
                + bytes(pipeline.path("unsettled_bytes").asDouble()) + "; "
                + number(pipeline.path("rejected")) + " refusals, "
                + number(pipeline.path("nothing_to_do")) + " changes with nothing to do");
        snapshot(pipeline.path("snapshot"));
        for (JsonNode problem : pipeline.path("problems")) {
            line("problem " + problem.path("code").asText() + " "
                    + problem.path("object").asText() + ": "
                    + problem.path("problem").asText());
            problem.path("cure").asText().lines().forEach(cure -> line("    " + cure));
        }
        for (JsonNode error : pipeline.path("errors")) {
            line("error " + error.path("code").asText() + ", " + number(error.path("count")) + " times, last "
                    + error.path("last").asText() + ", first "
                    + error.path("first").asText() + ":");
            line("    " + error.path("message").asText());
            line("    " + error.path("advice").asText());
        }
    }

    private void positions(JsonNode pipeline) {
        JsonNode positions = pipeline.path("positions");
        JsonNode splits = pipeline.path("splits");
        line(number(splits.path("done")) + " of " + number(splits.path("known")) + " splits done");
        if (positions.isObject()) {
            JsonNode lag = pipeline.path("lag");
            line("split " + positions.path("split").asText() + ": settled " + text(positions.path("frontier"))
                    + ", persisted " + text(positions.path("persisted")) + waits(lag.path("settled_to_persisted"))
                    + ", acknowledged " + text(positions.path("acknowledged"))
                    + waits(lag.path("persisted_to_acknowledged")));
        }
    }

    private static String waits(JsonNode lag) {
        double seconds = lag.path("seconds").asDouble();
        return seconds < 1 ? "" : " (waits for " + duration(seconds) + ")";
    }

    private void snapshot(JsonNode snapshot) {
        if (!snapshot.isObject()) {
            return;
        }
        line("snapshot " + progress(snapshot));
        List<JsonNode> tables = new ArrayList<>();
        int done = 0;
        int waiting = 0;
        for (JsonNode table : snapshot.path("tables")) {
            if (table.path("chunks_done").asInt() == table.path("chunks_total").asInt()) {
                done++;
            } else if (table.path("rows_done").asLong() == 0
                    && table.path("chunks_done").asInt() == 0) {
                waiting++;
            } else {
                tables.add(table);
            }
        }
        List<JsonNode> shown = tables.subList(0, Math.min(tables.size(), TABLES_MAX));
        int width = shown.stream()
                .mapToInt(table -> table.path("table").asText().length())
                .max()
                .orElse(0);
        for (JsonNode table : shown) {
            String name = table.path("table").asText();
            line("    " + name + " ".repeat(width - name.length()) + " " + progress(table));
        }
        String more = tables.size() > shown.size() ? (tables.size() - shown.size()) + " more are read, " : "";
        line("    " + more + done + " tables done, " + waiting + " wait");
    }

    private static String progress(JsonNode of) {
        long done = of.path("rows_done").asLong();
        long total = of.path("rows_total").asLong();
        int filled = total == 0 ? BAR : (int) (BAR * done / total);
        JsonNode left = of.path("left_seconds");
        return "[" + "#".repeat(filled) + "-".repeat(BAR - filled) + "] "
                + String.format(Locale.ROOT, "%3d %%", total == 0 ? 100 : 100 * done / total) + "  "
                + String.format(
                        Locale.ROOT,
                        "%,d of about %,d rows, %,.0f rows/s, ",
                        done,
                        total,
                        of.path("rows_per_second").asDouble())
                + (left.isNumber() ? duration(left.asDouble()) + " left" : "time left unknown");
    }

    private void line(String line) {
        text.append("  ").append(line).append('\n');
    }

    private static String text(JsonNode node) {
        return node.isTextual() ? node.asText() : "-";
    }

    private static String number(JsonNode node) {
        return String.format(Locale.ROOT, "%,d", node.asLong());
    }

    private static String seconds(JsonNode node) {
        return node.isNumber() ? duration(node.asDouble()) : "-";
    }

    static String duration(double seconds) {
        if (seconds < 10) {
            return String.format(Locale.ROOT, "%.2f s", seconds);
        }
        long whole = (long) seconds;
        if (whole < 120) {
            return whole + " s";
        }
        return whole < 7_200 ? whole / 60 + " min" : whole / 3_600 + " h " + whole / 60 % 60 + " min";
    }

    static String bytes(double bytes) {
        double value = bytes;
        int unit = 0;
        while (value >= 1_024 && unit < UNITS.size() - 1) {
            value /= 1_024;
            unit++;
        }
        return String.format(Locale.ROOT, unit == 0 ? "%.0f %s" : "%.1f %s", value, UNITS.get(unit));
    }
}
