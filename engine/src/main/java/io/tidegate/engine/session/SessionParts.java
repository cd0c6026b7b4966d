package io.tidegate.engine.session;

import io.tidegate.engine.PipelineOptions;
import io.tidegate.engine.env.Environment;
import io.tidegate.engine.gate.GateLimits;
import io.tidegate.spi.ChangeEncoder;
import io.tidegate.spi.Finding;
import io.tidegate.spi.Sink;
import io.tidegate.spi.SnapshotProgress;
import io.tidegate.spi.Source;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/** What a session is made of, and makes its gate and its roles of. */
public record SessionParts(
        String pipeline,
        Source source,
        Sink sink,
        ChangeEncoder encoder,
        PipelineOptions options,
        Environment environment,
        StoreRole store,
        Counters counters) {

    /** So a store has at most 20 writes a second, unless the interval between them was asked to be shorter. */
    private static final long WRITE_SPACING_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /** Numbers that outlive a session; for status only. Any thread, but the delays belong to the pipeline's. */
    public record Counters(
            AtomicLong delivered,
            AtomicLong rejected,
            AtomicLong nothingToDo,
            Map<String, Double> measures,
            AtomicReference<List<SnapshotProgress>> snapshot,
            AtomicReference<List<Finding>> problems,
            DelayWindow delays) {

        public Counters() {
            this(
                    new AtomicLong(),
                    new AtomicLong(),
                    new AtomicLong(),
                    new ConcurrentHashMap<>(),
                    new AtomicReference<>(List.of()),
                    new AtomicReference<>(List.of()),
                    new DelayWindow());
        }
    }

    GateLimits gateLimits() {
        return new GateLimits(
                options.inFlightBatches(),
                options.inFlightBytes(),
                options.checkpointChanges(),
                options.checkpointInterval().toNanos(),
                Math.min(WRITE_SPACING_NANOS, options.checkpointInterval().toNanos()),
                options.retryInitial().toNanos(),
                options.retryMax().toNanos(),
                options.stopTimeout().toNanos());
    }

    ReaderRole.BatchLimits batchLimits() {
        return new ReaderRole.BatchLimits(
                options.batchChanges(), options.batchBytes(), new AtomicLong(), options.inFlightBytes());
    }

    SourceRole sourceRole(Mailbox mailbox) {
        return new SourceRole(pipeline, source, environment, counters, mailbox);
    }

    SinkRole sinkRole(Mailbox mailbox) {
        SinkRole.Parts sinkParts = new SinkRole.Parts(
                pipeline,
                sink,
                encoder,
                environment.disk(),
                environment.clock(),
                options.rejects() == PipelineOptions.RejectPolicy.RETRY,
                new Backoff(options.retryInitial(), options.retryMax(), environment.random()),
                source,
                counters);
        return new SinkRole(sinkParts, mailbox);
    }
}
