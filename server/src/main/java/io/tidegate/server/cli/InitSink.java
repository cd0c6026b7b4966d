package io.tidegate.server.cli;

import java.util.List;

/** The sinks that {@code init} can write down, each with its part of a file. */
enum InitSink {
    FILE(
            "sink:",
            "  file:",
            "    # A folder, made if it is not there; a relative path starts at the folder of this file.",
            "    path: data",
            "  # Or the tables of a database, docs/connectors/jdbc.md:",
            "  # jdbc:",
            "  #   url: postgresql://writer@warehouse:5432/shop",
            "  #   password: ${env:WAREHOUSE_PASSWORD}",
            "  #   create_tables: true"),
    STDOUT("sink:", "  stdout:", "    # auto: readable on a terminal, else lines of JSON.", "    style: auto");

    @SuppressWarnings("ImmutableEnumChecker") // List.of
    private final List<String> lines;

    InitSink(String... lines) {
        this.lines = List.of(lines);
    }

    /** The block {@code sink:} of a file that works as it is. */
    List<String> lines() {
        return lines;
    }
}
