package io.tidegate.embed;

import io.tidegate.engine.Pipeline;
import io.tidegate.engine.PipelineOptions;
import io.tidegate.engine.env.Environment;
import io.tidegate.engine.env.RealDisk;
import io.tidegate.engine.store.FileStateStore;
import io.tidegate.formats.FlatEncoder;
import io.tidegate.formats.JsonEncoder;
import io.tidegate.spi.ChangeEncoder;
import io.tidegate.spi.Checkpoint;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.Finding;
import io.tidegate.spi.GivenSettings;
import io.tidegate.spi.Setting;
import io.tidegate.spi.Sink;
import io.tidegate.spi.SinkConnector;
import io.tidegate.spi.Source;
import io.tidegate.spi.SourceConnector;
import io.tidegate.spi.TidegateException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Puts a pipeline together. Belongs to one thread; every mistake is thrown by the call that makes it. */
public final class PipelineBuilder {

    private static final String NAME = "[a-z0-9_-]{1,40}";

    private final String name;
    private @Nullable Source source;
    private @Nullable Sink sink;
    private @Nullable Path stateDirectory;
    private Supplier<ChangeEncoder> encoder = JsonEncoder::new;
    private PipelineOptions options = PipelineOptions.defaults();

    PipelineBuilder(String name) {
        if (!name.matches(NAME)) {
            throw new TidegateException(
                    ErrorCode.CONFIG_INVALID,
                    "a pipeline's name has 1 to 40 lower-case letters, digits, _ and -",
                    "Give such a name, for example orders.",
                    null);
        }
        this.name = name;
    }

    /** How {@link DeliveredChange#json} writes. */
    public enum Format {
        /** With before, after and source. */
        JSON,
        /** The row's columns, and {@code _op}, {@code _ts}, {@code _position}. */
        FLAT
    }

    /**
     * The source: a connector on the class path.
     *
     * @param connector its name, such as {@code postgres}
     * @param settings its keys as {@code docs/configuration.md} lists them, nested ones dotted: {@code slot.name}; values as
     *     {@link GivenSettings} reads them. Relative paths start at the working directory
     * @throws TidegateException {@link ErrorCode#CONFIG_INVALID}
     */
    public PipelineBuilder source(String connector, Map<String, ?> settings) {
        SourceConnector found = installed(SourceConnector.class, "source", connector, SourceConnector::name);
        return source(found.create(given("source " + connector, found.settings(), settings)));
    }

    /** A source of the program's own. */
    public PipelineBuilder source(Source made) {
        source = made;
        return this;
    }

    /** The sink: a handler that is called for each change. */
    public PipelineBuilder forEachChange(ChangeHandler handler) {
        return sink(HandlerSink.eachChange(handler));
    }

    /** The sink: a handler that is called for each batch. */
    public PipelineBuilder forEachBatch(BatchHandler handler) {
        return sink(HandlerSink.eachBatch(handler));
    }

    /** The sink: a connector on the class path, configured as in {@link #source(String, Map)}. */
    public PipelineBuilder sink(String connector, Map<String, ?> settings) {
        SinkConnector found = installed(SinkConnector.class, "sink", connector, SinkConnector::name);
        return sink(found.create(given("sink " + connector, found.settings(), settings)));
    }

    /** A sink of the program's own, that can do more than a handler: take batches before the ones before are durable. */
    public PipelineBuilder sink(Sink made) {
        sink = made;
        return this;
    }

    /**
     * The folder that keeps how far the pipeline has come. It has to live as long as the pipeline: without it the next start
     * is refused. Several pipelines can share one.
     */
    public PipelineBuilder stateDirectory(Path directory) {
        stateDirectory = directory;
        return this;
    }

    /** {@link Format#JSON} unless given. */
    public PipelineBuilder format(Format format) {
        encoder = switch (format) {
            case JSON -> JsonEncoder::new;
            case FLAT -> FlatEncoder::new;
        };
        return this;
    }

    /** {@link PipelineOptions#defaults} unless given. */
    public PipelineBuilder options(PipelineOptions chosen) {
        options = chosen;
        return this;
    }

    /** Everything that the pipeline lacks in source and sink, as {@code tidegate check} says it. Changes nothing. */
    public List<Finding> check() {
        Checkpoint durable = FileStateStore.show(store());
        List<Finding> findings = new ArrayList<>(needed(source, "source").check(durable));
        findings.addAll(needed(sink, "sink").check());
        return List.copyOf(findings);
    }

    /** Starts the pipeline and returns at once; what goes wrong from now on, {@link EmbeddedPipeline#await} says. */
    public EmbeddedPipeline start() {
        FileStateStore.Options store = store();
        String holder = holder();
        Pipeline pipeline = new Pipeline(
                new Pipeline.Definition(
                        name,
                        needed(source, "source"),
                        needed(sink, "sink"),
                        encoder,
                        options,
                        () -> FileStateStore.open(store, holder)),
                Environment.system());
        pipeline.start();
        return new EmbeddedPipeline(pipeline, options.stopTimeout());
    }

    private FileStateStore.Options store() {
        return new FileStateStore.Options(
                new RealDisk(),
                needed(stateDirectory, "stateDirectory").toAbsolutePath().normalize(),
                name,
                needed(source, "source").positions());
    }

    private GivenSettings given(String subject, List<Setting<?>> known, Map<String, ?> settings) {
        return new GivenSettings(subject, name, Path.of(""), known, settings);
    }

    private static <T> T needed(@Nullable T part, String what) {
        if (part == null) {
            throw new IllegalStateException("the pipeline has no " + what + ": call " + what + "(…) before");
        }
        return part;
    }

    private static <C> C installed(Class<C> kind, String role, String wanted, Function<C, String> nameOf) {
        Map<String, C> byName = new TreeMap<>();
        ServiceLoader.load(kind).forEach(found -> byName.put(nameOf.apply(found), found));
        C connector = byName.get(wanted);
        if (connector == null) {
            throw new TidegateException(
                    ErrorCode.CONFIG_INVALID,
                    "there is no " + role + " " + wanted + " on the class path; there is "
                            + (byName.isEmpty() ? "none" : String.join(", ", byName.keySet())),
                    "Add its connector as a dependency, such as io.tidegate:tidegate-connector-postgres.",
                    null);
        }
        return connector;
    }

    private static String holder() {
        try {
            return RealDisk.holder(ProcessHandle.current().info().startInstant().orElseGet(Instant::now));
        } catch (IOException e) {
            throw new TidegateException(ErrorCode.INTERNAL, "The name of this host cannot be read: " + e, e);
        }
    }
}
