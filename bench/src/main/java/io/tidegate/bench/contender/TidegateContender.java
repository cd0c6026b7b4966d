package io.tidegate.bench.contender;

import io.tidegate.bench.process.Arguments;
import io.tidegate.bench.process.ChildReport;
import io.tidegate.connector.files.FileConnector;
import io.tidegate.embed.EmbeddedPipeline;
import io.tidegate.embed.PipelineBuilder;
import io.tidegate.spi.Batch;
import io.tidegate.spi.GivenSettings;
import io.tidegate.spi.Sink;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Tidegate with its defaults, from a slot that is there or by a snapshot, to a counting sink or to a file.
 *
 * <p>Arguments: {@code source}, {@code table}, {@code publication}, {@code slot}, {@code expect}, {@code mark}, {@code
 * folder}; {@code mode} is {@code stream} or {@code snapshot}, {@code sink} is {@code count} or {@code file}.
 */
public final class TidegateContender {

    private static final String NAME = "bench";
    private static final Duration LIMIT = Duration.ofHours(2);

    private TidegateContender() {}

    public static void main(String[] words) throws InterruptedException {
        ChildReport report = new ChildReport();
        Arguments arguments = Arguments.of(words);
        Receiver receiver = new Receiver(report, arguments.number("expect"), arguments.text("mark"));
        try (EmbeddedPipeline pipeline = pipeline(arguments)
                .sink(sink(arguments, receiver))
                .stateDirectory(Path.of(arguments.text("folder"), "state"))
                .start()) {
            if (!awaitAll(receiver, pipeline)) {
                throw new IllegalStateException("not all changes came: " + pipeline.status());
            }
            receiver.report();
        }
        report.print();
    }

    private static boolean awaitAll(Receiver receiver, EmbeddedPipeline pipeline) throws InterruptedException {
        long end = System.nanoTime() + LIMIT.toNanos();
        while (!receiver.await(Duration.ofSeconds(1))) {
            if (System.nanoTime() > end || pipeline.status().state().ended()) {
                return false;
            }
        }
        return true;
    }

    /** A pipeline that reads what the arguments say; it has no sink yet. */
    static PipelineBuilder pipeline(Arguments arguments) {
        Map<String, Object> source = new HashMap<>();
        source.put("url", arguments.text("source"));
        source.put("tables", List.of(arguments.text("table")));
        source.put("publication.name", arguments.text("publication"));
        source.put("slot.name", arguments.text("slot"));
        if (arguments.text("mode").equals("snapshot")) {
            source.put("snapshot", "only");
        } else {
            source.put("snapshot", "none");
            source.put("slot.adopt", "true");
        }
        return EmbeddedPipeline.named(NAME).source("postgres", source);
    }

    private static Sink sink(Arguments arguments, Receiver receiver) {
        if (arguments.text("sink").equals("count")) {
            return new CountingSink(receiver, arguments.text("mode").equals("snapshot"));
        }
        Sink files = files(Path.of(arguments.text("folder"), "out"));
        return new WatchedSink(new StoppingSink(files, batch -> receiver.begin()), new Counting(receiver)::durable);
    }

    /** The file sink with its defaults, writing into this folder. */
    static Sink files(Path folder) {
        FileConnector connector = new FileConnector();
        return connector.create(new GivenSettings(
                "sink file", NAME, Path.of(""), connector.settings(), Map.of("path", folder.toString())));
    }

    /** What is durable in files counts; the files themselves are looked at afterwards. */
    private record Counting(Receiver receiver) {

        void durable(Batch batch) {
            receiver.passed(batch.changes().size(), batch.bytes());
        }
    }
}
