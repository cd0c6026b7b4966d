package io.tidegate.server.cli;

import io.tidegate.engine.env.RealDisk;
import io.tidegate.engine.store.FileStateStore;
import io.tidegate.engine.store.StateText;
import io.tidegate.server.config.ConfigLoader;
import io.tidegate.server.config.ConfiguredPipeline;
import io.tidegate.server.config.Connectors;
import io.tidegate.server.hold.Hold;
import io.tidegate.spi.Checkpoint;
import io.tidegate.spi.Disk;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.SourceConnector;
import io.tidegate.spi.TidegateException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Puts connectors, store and engine together; the only place that does. */
public final class Wiring {

    private final Connectors connectors;
    private final UnaryOperator<@Nullable String> environment;
    private final ConfigLoader loader;
    private final Disk disk;
    private final PipelineStarter starter;

    /**
     * Of these parts.
     *
     * @param environment gives the value of an environment variable, or null
     */
    public Wiring(
            Connectors connectors, UnaryOperator<@Nullable String> environment, Disk disk, PipelineStarter starter) {
        this.connectors = connectors;
        this.environment = environment;
        this.loader = new ConfigLoader(connectors, environment);
        this.disk = disk;
        this.starter = starter;
    }

    /** The connectors on the class path, the environment and the disk of this process. */
    public static Wiring ofThisProcess() {
        return new Wiring(Connectors.onClassPath(), System::getenv, new RealDisk(), starterOfThisProcess());
    }

    private static PipelineStarter starterOfThisProcess() {
        return HeldStarter.around(new EngineStarter(), System.getProperty(Hold.PROPERTY));
    }

    Connectors connectors() {
        return connectors;
    }

    /** The value of an environment variable, or null. */
    @Nullable
    String variable(String name) {
        return environment.apply(name);
    }

    /** The source that understands a URL which begins like this one. */
    SourceConnector sourceOf(String url) {
        List<String> known = new ArrayList<>();
        for (SourceConnector source : connectors.sources().values()) {
            for (String prefix : source.urlPrefixes()) {
                if (url.regionMatches(true, 0, prefix, 0, prefix.length())) {
                    return source;
                }
                known.add(prefix);
            }
        }
        throw new TidegateException(
                ErrorCode.CONFIG_INVALID,
                "No source understands this URL.",
                "Begin it with one of " + String.join(", ", known) + ".",
                null);
    }

    ConfiguredPipeline load(Path file) {
        return loader.load(file);
    }

    /** Only a pipeline's name, of a file that need not be usable here. */
    String name(Path file) {
        return loader.name(file);
    }

    /** Starts what was configured; returns at once. */
    RunningPipeline start(ConfiguredPipeline pipeline) {
        return starter.start(pipeline, disk, over -> open(pipeline, over));
    }

    /** What the store holds, also while somebody else writes to it. */
    Checkpoint show(ConfiguredPipeline pipeline) {
        return FileStateStore.show(options(pipeline, disk));
    }

    /** Opens the store: nobody else can have it meanwhile. */
    FileStateStore open(ConfiguredPipeline pipeline) {
        return open(pipeline, disk);
    }

    private static FileStateStore open(ConfiguredPipeline pipeline, Disk over) {
        return FileStateStore.open(options(pipeline, over), holder());
    }

    List<Path> reset(ConfiguredPipeline pipeline) {
        return FileStateStore.reset(disk, pipeline.config().stateDir(), pipeline.name(), holder());
    }

    String export(ConfiguredPipeline pipeline) {
        return StateText.export(
                pipeline.name(), show(pipeline), pipeline.source().positions());
    }

    Checkpoint parseExport(ConfiguredPipeline pipeline, String text) {
        return StateText.parse(text, pipeline.name(), pipeline.source().positions());
    }

    private static FileStateStore.Options options(ConfiguredPipeline pipeline, Disk over) {
        return new FileStateStore.Options(
                over,
                pipeline.config().stateDir(),
                pipeline.name(),
                pipeline.source().positions());
    }

    private static String holder() {
        try {
            return RealDisk.holder(ProcessHandle.current().info().startInstant().orElseGet(Instant::now));
        } catch (IOException e) {
            throw new TidegateException(ErrorCode.INTERNAL, "The name of this host cannot be read: " + e, e);
        }
    }
}
