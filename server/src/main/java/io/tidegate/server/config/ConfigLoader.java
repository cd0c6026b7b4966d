package io.tidegate.server.config;

import io.tidegate.server.config.ConfigSettings.UnusableException;
import io.tidegate.spi.ErrorCode;
import io.tidegate.spi.Nearest;
import io.tidegate.spi.Setting;
import io.tidegate.spi.Settings;
import io.tidegate.spi.TidegateException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/** Loads pipeline files. Everything that is wrong in a file is said in one exception, each with its line. */
public final class ConfigLoader {

    private static final String SOURCE = "source";
    private static final String SINK = "sink";

    private final Connectors connectors;
    private final UnaryOperator<@Nullable String> environment;

    /**
     * A loader of files that use these connectors.
     *
     * @param environment gives the value of an environment variable, or null
     */
    public ConfigLoader(Connectors connectors, UnaryOperator<@Nullable String> environment) {
        this.connectors = connectors;
        this.environment = environment;
    }

    /**
     * Reads and checks one file, and makes its source and sink; opens nothing.
     *
     * @throws TidegateException {@link ErrorCode#CONFIG_INVALID}, {@link ErrorCode#SECRET_MISSING} if nothing but
     *     references is wrong, or {@link ErrorCode#CONFIG_UNREADABLE}
     */
    public ConfiguredPipeline load(Path file) {
        return new OneFile(file).load();
    }

    /** Only the pipeline's name; nothing else of the file has to be right, and no secret has to be there. */
    public String name(Path file) {
        return new OneFile(file).name();
    }

    /** What loading one file needs all the way through. */
    private final class OneFile {

        private final Path file;
        private final Path folder;
        private final Problems problems;
        private final References references;

        /** A connector's name, and what it made; null if it made nothing. */
        private record Made<T>(String name, @Nullable T what) {}

        OneFile(Path file) {
            this.file = file;
            this.folder =
                    Objects.requireNonNull(file.toAbsolutePath().normalize().getParent(), "a file is in a folder");
            this.problems = new Problems(file);
            this.references = new References(folder, environment);
        }

        ConfiguredPipeline load() {
            Section top = top();
            String pipeline =
                    top.values.getOrDefault(PipelineSettings.PIPELINE.key(), "").toString();
            Settings settings = new ConfigSettings(top, folder, pipeline, problems);
            attempt(settings, PipelineSettings::check);
            attempt(settings, PipelineSettings::checkRetry);
            attempt(settings, PipelineSettings::checkInFlight);
            attempt(settings, PipelineSettings::checkStateDir);
            var source = block(
                    SOURCE, top, pipeline, connectors.sources(), found -> found.settings(), (c, s) -> c.create(s));
            var sink = block(SINK, top, pipeline, connectors.sinks(), found -> found.settings(), (c, s) -> c.create(s));
            if (!problems.isEmpty() || source.what() == null || sink.what() == null) {
                throw problems.toException();
            }
            return new ConfiguredPipeline(
                    file, PipelineSettings.toConfig(settings), source.name(), source.what(), sink.name(), sink.what());
        }

        private Section top() {
            MappingNode root = YamlFile.read(file, problems);
            if (root == null) {
                throw problems.toException();
            }
            return new SectionReader(PipelineSettings.all(), Set.of(SOURCE, SINK), references, problems)
                    .read("", 1, root);
        }

        String name() {
            Object name = top().values.get(PipelineSettings.PIPELINE.key());
            if (name == null) {
                throw problems.toException();
            }
            return name.toString();
        }

        private void attempt(Settings settings, Consumer<Settings> check) {
            try {
                check.accept(settings);
            } catch (UnusableException e) {
                // The value that the check needs is among the problems.
                assertSaid(e);
            }
        }

        /** Reads {@code source:} or {@code sink:}, and has the connector make what it says. */
        private <C, T> Made<T> block(
                String role,
                Section top,
                String pipeline,
                SortedMap<String, C> known,
                Function<C, List<Setting<?>>> settingsOf,
                Factory<C, T> factory) {
            Node node = top.blocks.get(role);
            if (node == null) {
                problems.add(
                        1, role, "is missing", "Add it with one of " + String.join(", ", known.keySet()) + " below it");
                return new Made<>("", null);
            }
            if (!(node instanceof MappingNode mapping)
                    || mapping.getValue().size() != 1
                    || !(mapping.getValue().get(0).getKeyNode() instanceof ScalarNode nameNode)) {
                problems.add(
                        top.lineOf(role),
                        role,
                        "must have exactly one connector below it",
                        "Write one of " + String.join(", ", known.keySet()) + " as a key, with its settings below it");
                return new Made<>("", null);
            }
            String name = nameNode.getValue();
            int line = YamlFile.line(nameNode);
            C connector = known.get(name);
            if (connector == null) {
                problems.add(
                        line,
                        role + "." + name,
                        "is not a known " + role,
                        Nearest.of(name, known.keySet())
                                .map(near -> "Did you mean " + near + "?")
                                .orElse("Known are " + String.join(", ", known.keySet())));
                return new Made<>(name, null);
            }
            String prefix = role + "." + name + ".";
            Section section = new SectionReader(settingsOf.apply(connector), Set.of(), references, problems)
                    .read(prefix, line, below(mapping.getValue().get(0), prefix));
            Settings settings = new ConfigSettings(section, folder, pipeline, problems);
            return new Made<>(name, create(connector, settings, section, factory));
        }

        private <C, T> @Nullable T create(C connector, Settings settings, Section section, Factory<C, T> factory) {
            try {
                return factory.create(connector, settings);
            } catch (UnusableException e) {
                assertSaid(e);
                return null;
            } catch (TidegateException e) {
                String key = section.prefix.substring(0, section.prefix.length() - 1);
                problems.add(e.code(), section.line, key, section.redact(String.valueOf(e.getMessage())), e.advice());
                return null;
            }
        }

        private @Nullable MappingNode below(NodeTuple entry, String prefix) {
            Node value = entry.getValueNode();
            if (value instanceof MappingNode mapping) {
                return mapping;
            }
            if (!value.getTag().equals(Tag.NULL)) {
                problems.add(
                        YamlFile.line(value),
                        prefix.substring(0, prefix.length() - 1),
                        "must have its settings below it",
                        "Write them as keys with values, or nothing for all defaults");
            }
            return null;
        }

        private void assertSaid(UnusableException e) {
            if (problems.isEmpty()) {
                throw new IllegalStateException("a value cannot be used, and no problem says so", e);
            }
        }
    }

    private interface Factory<C, T> {
        T create(C connector, Settings settings);
    }
}
