package io.tidegate.bench.contender;

import io.debezium.engine.ChangeEvent;
import io.debezium.engine.DebeziumEngine;
import io.debezium.engine.DebeziumEngine.RecordCommitter;
import io.debezium.engine.format.Json;
import io.debezium.engine.format.JsonByteArray;
import io.debezium.engine.format.SerializationFormat;
import io.tidegate.bench.process.Arguments;
import io.tidegate.bench.process.ChildReport;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Debezium's embedded engine with its PostgreSQL connector, to a consumer of batches that counts. Key and value of each change
 * become JSON by Debezium's own converter, on the engine's own threads, as many as its default gives.
 *
 * <p>What differs from its defaults, by Debezium's documentation ("Debezium Engine" and "Debezium connector for PostgreSQL"):
 *
 * <ul>
 *   <li>{@code max.batch.size} and {@code max.queue.size} are raised to eight times the default, as is done for throughput;
 *   <li>{@code converter.schemas.enable=false}, unless told otherwise: no schema in each event, which is most of its size;
 *   <li>no tombstones, no heartbeats, no transaction metadata, nothing logged: only changes are made and counted;
 *   <li>slot and publication are there already and stay;
 *   <li>{@code errors.max.retries=0}: a failure ends it and is seen, instead of being tried again without end.
 * </ul>
 *
 * <p>Its order of processing has no effect on a consumer of batches; offsets go to a file once a minute, its default. Words that
 * begin with {@code debezium.} change any other setting, such as {@code debezium.snapshot.max.threads=2}.
 *
 * <p>Other words: {@code host}, {@code port}, {@code database}, {@code user}, {@code slot}, {@code publication}, {@code table} (schema.name),
 * {@code expect} (changes to come), {@code mark} (see {@link Receiver}), {@code folder} (for its offsets; a second run with the same
 * one goes on there), {@code mode} ({@code stream}: the log from where the slot stands; {@code snapshot}: the rows, where it needs
 * neither slot nor publication), {@code poll} (its {@code poll.interval.ms}), {@code max.batch.size}, {@code max.queue.size},
 * {@code format} ({@code text}: strings; {@code bytes}: UTF-8, without making strings of it), {@code latency} ({@code true}: the delays of
 * what was committed from {@code from} until {@code until}, and it ends then), {@code lines} ({@code true}: each event is appended to a file in {@code folder}). Reaches {@code polling} and {@code first}.
 *
 * @param <T> what a key or value is: a string or an array of bytes
 */
public final class DebeziumContender<T> implements DebeziumEngine.ChangeConsumer<ChangeEvent<T, T>> {

    private static final String TOPIC_PREFIX = "bench";
    private static final String VERBATIM = "debezium.";
    private static final Duration LOOK = Duration.ofMillis(500);

    private final ChildReport report;
    private final Consumer<T> receiver;
    private final String topic;
    private boolean reached;

    private DebeziumContender(ChildReport report, Consumer<T> receiver, String topic) {
        this.report = report;
        this.receiver = receiver;
        this.topic = topic;
    }

    /** Its threads would outlive a failure. */
    public static void main(String[] words) {
        try {
            run(words);
            System.exit(0);
        } catch (Throwable failure) {
            failure.printStackTrace(System.out);
            System.exit(1);
        }
    }

    private static void run(String[] words) throws Exception {
        ChildReport report = new ChildReport();
        Arguments arguments = Arguments.of(words);
        long expect = Long.parseLong(arguments.text("expect", Long.toString(Long.MAX_VALUE)));
        Receiver receiver = new Receiver(report, expect, arguments.text("mark", ""));
        Delays delays = delays(report, arguments);
        CompletableFuture<Void> ended = new CompletableFuture<>();
        DebeziumEngine<?> engine = engine(arguments, report, receiver, delays, ended);
        Thread thread = new Thread(engine, "debezium");
        thread.start();
        while (!(delays == null ? receiver.await(LOOK) : delays.await(LOOK))) {
            if (ended.isDone()) {
                ended.get();
                throw new IllegalStateException("Debezium ended before all changes came");
            }
        }
        receiver.report();
        if (delays != null) {
            delays.report();
        }
        engine.close();
        thread.join();
        // all that counts is counted; a poll that the close cuts off is reported as a failure
        ended.exceptionally(cutOff -> null).get(1, TimeUnit.MINUTES);
        report.print();
    }

    private static DebeziumEngine<?> engine(
            Arguments arguments,
            ChildReport report,
            Receiver receiver,
            @Nullable Delays delays,
            CompletableFuture<Void> ended)
            throws IOException {
        String format = arguments.text("format", "text");
        Consumer<String> lines = lines(arguments);
        PollingStarted polling =
                new PollingStarted(report, receiver, arguments.text("mode").equals("snapshot"));
        return switch (format) {
            case "text" ->
                engine(arguments, polling, ended, Json.class, text -> {
                    if (lines != null) {
                        lines.accept(text);
                    }
                    if (delays != null) {
                        delays.add(DebeziumCommitTime.micros(text));
                    }
                    receiver.take(text);
                });
            case "bytes" ->
                engine(arguments, polling, ended, JsonByteArray.class, utf8 -> {
                    if (delays != null) {
                        delays.add(DebeziumCommitTime.micros(new String(utf8, StandardCharsets.UTF_8)));
                    }
                    receiver.take(utf8, 0, utf8.length);
                });
            default -> throw new IllegalArgumentException("no format: " + format);
        };
    }

    /** Appends each event to a file, if that is wanted: what was given to the kernel outlives a kill of this process. */
    private static @Nullable Consumer<String> lines(Arguments arguments) throws IOException {
        if (!Boolean.parseBoolean(arguments.text("lines", "false"))) {
            return null;
        }
        Path folder = Files.createDirectories(Path.of(arguments.text("folder")));
        FileChannel file = FileChannel.open(
                folder.resolve("debezium.jsonl"), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        return text -> {
            try {
                file.write(ByteBuffer.wrap((text + "\n").getBytes(StandardCharsets.UTF_8)));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        };
    }

    private static <T> DebeziumEngine<?> engine(
            Arguments arguments,
            PollingStarted polling,
            CompletableFuture<Void> ended,
            Class<? extends SerializationFormat<T>> format,
            Consumer<T> receiver)
            throws IOException {
        String topic = TOPIC_PREFIX + "." + arguments.text("table");
        return DebeziumEngine.create(format, format)
                .using(settings(arguments))
                .using(polling)
                .using((success, message, error) -> complete(ended, success, message, error))
                .notifying(new DebeziumContender<>(polling.report(), receiver, topic))
                .build();
    }

    private static @Nullable Delays delays(ChildReport report, Arguments arguments) {
        if (!Boolean.parseBoolean(arguments.text("latency", "false"))) {
            return null;
        }
        long until = Long.parseLong(arguments.text("until", "0"));
        return new Delays(report, arguments.number("from"), until == 0 ? Long.MAX_VALUE : until);
    }

    static Properties settings(Arguments arguments) throws IOException {
        Path folder = Files.createDirectories(Path.of(arguments.text("folder")));
        Properties settings = new Properties();
        settings.setProperty("name", TOPIC_PREFIX);
        settings.setProperty("topic.prefix", TOPIC_PREFIX);
        settings.setProperty("connector.class", "io.debezium.connector.postgresql.PostgresConnector");
        settings.setProperty("offset.storage", "org.apache.kafka.connect.storage.FileOffsetBackingStore");
        settings.setProperty(
                "offset.storage.file.filename", folder.resolve("offsets.dat").toString());

        settings.setProperty("database.hostname", arguments.text("host"));
        settings.setProperty("database.port", arguments.text("port"));
        settings.setProperty("database.dbname", arguments.text("database"));
        settings.setProperty("database.user", arguments.text("user"));
        settings.setProperty("database.sslmode", "disable");
        settings.setProperty("table.include.list", arguments.text("table").replace(".", "\\."));
        source(settings, arguments);

        settings.setProperty("max.batch.size", arguments.text("max.batch.size", "16384"));
        settings.setProperty("max.queue.size", arguments.text("max.queue.size", "65536"));
        if (arguments.values().containsKey("poll")) {
            settings.setProperty("poll.interval.ms", arguments.text("poll"));
        }
        settings.setProperty("converter.schemas.enable", "false");
        settings.setProperty("tombstones.on.delete", "false");
        settings.setProperty("heartbeat.interval.ms", "0");
        settings.setProperty("provide.transaction.metadata", "false");
        settings.setProperty("errors.max.retries", "0");
        arguments.values().forEach((name, value) -> {
            if (name.startsWith(VERBATIM)) {
                settings.setProperty(name.substring(VERBATIM.length()), value);
            }
        });
        return settings;
    }

    private static void source(Properties settings, Arguments arguments) {
        settings.setProperty("plugin.name", "pgoutput");
        settings.setProperty("publication.autocreate.mode", "disabled");
        settings.setProperty("slot.drop.on.stop", "false");
        String mode = arguments.text("mode");
        switch (mode) {
            case "stream" -> {
                settings.setProperty("snapshot.mode", "no_data");
                settings.setProperty("slot.name", arguments.text("slot"));
                settings.setProperty("publication.name", arguments.text("publication"));
            }
            case "snapshot" -> settings.setProperty("snapshot.mode", "initial_only");
            default -> throw new IllegalArgumentException("no mode: " + mode);
        }
    }

    private static void complete(
            CompletableFuture<Void> ended, boolean success, @Nullable String message, @Nullable Throwable error) {
        if (success) {
            ended.complete(null);
        } else {
            ended.completeExceptionally(new IllegalStateException("Debezium failed: " + message, error));
        }
    }

    @Override
    public void handleBatch(List<ChangeEvent<T, T>> events, RecordCommitter<ChangeEvent<T, T>> committer)
            throws InterruptedException {
        for (ChangeEvent<T, T> event : events) {
            T value = event.value();
            if (value != null && topic.equals(event.destination())) {
                if (!reached) {
                    reached = true;
                    report.reached("first");
                }
                receiver.accept(value);
            }
            committer.markProcessed(event);
        }
        committer.markBatchFinished();
    }

    /** The engine asks its connector for changes from now on: the clock of a snapshot begins. */
    private record PollingStarted(ChildReport report, Receiver receiver, boolean begins)
            implements DebeziumEngine.ConnectorCallback {
        @Override
        public void pollingStarted() {
            if (begins) {
                receiver.begin();
            }
            report.reached("polling");
        }
    }
}
