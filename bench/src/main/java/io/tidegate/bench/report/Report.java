package io.tidegate.bench.report;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** All tables of a run of the bench, with what they were measured on. A table is printed when it is added. */
public final class Report {

    private static final ObjectMapper JSON = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

    private final PrintStream out;
    private final Map<String, String> facts = new LinkedHashMap<>();
    private final List<Table> tables = new ArrayList<>();

    public Report(PrintStream out) {
        this.out = out;
    }

    /** Something that the figures depend on: the machine, a version, a setting. */
    public void fact(String name, String value) {
        facts.put(name, value);
        out.println(name + ": " + value);
    }

    /** A line about what goes on, for who waits. */
    public void progress(String line) {
        out.println("… " + line);
    }

    public void table(Table table) {
        tables.add(table);
        out.println();
        out.println(table.markdown());
    }

    /** Writes everything: {@code {"facts":{…},"tables":[{"title","columns","rows"}]}}. */
    public void write(Path file) throws IOException {
        ObjectNode root = JSON.createObjectNode();
        ObjectNode known = root.putObject("facts");
        facts.forEach(known::put);
        ArrayNode all = root.putArray("tables");
        for (Table table : tables) {
            ObjectNode one = all.addObject();
            one.put("title", table.title());
            one.set("columns", JSON.valueToTree(table.columns()));
            one.set("rows", JSON.valueToTree(table.rows()));
        }
        Files.writeString(file, JSON.writeValueAsString(root) + "\n");
    }
}
