package io.tidegate.bench.workload;

import io.tidegate.bench.contender.DebeziumContender;
import io.tidegate.bench.contender.LiveTidegate;
import java.util.Map;

/**
 * One that reads a database while it is written to.
 *
 * @param main started as a child with the arguments {@code url} and {@code host}, {@code port},
 *     {@code database}, {@code user}, {@code mode} ({@code stream}), {@code table}, {@code slot},
 *     {@code publication}, {@code state} (a folder for what it keeps), {@code folder} (for files that it writes), and
 *     {@code from} and {@code until}, which are for {@link io.tidegate.bench.contender.Delays}: it makes one of them, adds
 *     each change when it is durable, and ends with their report. {@code until=0}: it runs until it is killed, and what it
 *     delivered is in files in {@code folder}, a line of JSON for each change
 * @param arguments given besides
 */
public record LiveContender(String name, Class<?> main, Map<String, String> arguments) {

    /** Tidegate to a sink at which everything is durable at once. */
    public static LiveContender counting() {
        return new LiveContender("Tidegate, counting sink", LiveTidegate.class, Map.of("sink", "count"));
    }

    /** Tidegate to files that are forced. */
    public static LiveContender file() {
        return new LiveContender("Tidegate, file with fsync", LiveTidegate.class, Map.of("sink", "file"));
    }

    /** Debezium to a consumer that counts, asked for changes each millisecond. */
    public static LiveContender debezium() {
        return new LiveContender(
                "Debezium, poll.interval.ms=1", DebeziumContender.class, Map.of("latency", "true", "poll", "1"));
    }

    /** The same to a consumer that appends to a file, without fsync; it keeps its offsets each second, not each minute. */
    public static LiveContender debeziumFile() {
        return new LiveContender(
                "Debezium, file without fsync, offsets kept each second",
                DebeziumContender.class,
                Map.of(
                        "latency", "true",
                        "poll", "1",
                        "lines", "true",
                        "debezium.offset.flush.interval.ms", "1000"));
    }
}
