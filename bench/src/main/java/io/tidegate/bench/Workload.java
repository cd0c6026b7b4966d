package io.tidegate.bench;

import java.util.Locale;

/** What the bench can measure, each by the word that asks for it. */
enum Workload {
    TX500("inserts of 190 bytes in transactions of 500"),
    TX1("the same, each in a transaction of its own"),
    UPDATES("updates with full replica identity"),
    WIDE("rows of 60 columns of mixed types"),
    LARGE("rows of 10 KB"),
    ONE("one transaction of all changes"),
    SPARSE("a log of which 1 % is published"),
    SNAPSHOT("the snapshot of a table keyed by bigint"),
    SNAPSHOT_UUID("the snapshot of a table keyed by random uuid"),
    LATENCY("time from commit to durable at 100, 1,000 and 5,000 transactions a second"),
    RESTART("time to the first change after SIGKILL, and duplicates"),
    MEMORY(
            "a transaction of 1 GB, values of 64 MiB, a sink that stops for a minute, with a small heap and a large one"),
    JDBC("the JDBC sink beside COPY and single statements"),
    ENGINE("the engine alone against splits, batch size, batches in flight and pipelines"),
    GATE("gate and batcher alone, by JMH");

    final String description;

    Workload(String description) {
        this.description = description;
    }

    /** The word on the command line, such as {@code snapshot-uuid}. */
    String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Whether a server is needed. */
    boolean onServer() {
        return this != ENGINE && this != GATE;
    }
}
