package io.tidegate.demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** The folder of the demo's pipelines and of their state. Closing deletes it. */
final class PipelineFiles implements AutoCloseable {

    /** The slot that the pipeline {@code demo} makes. */
    static final String SLOT = "tidegate_demo";

    private final Path folder;
    private final String url;

    private PipelineFiles(Path folder, String url) {
        this.folder = folder;
        this.url = url;
    }

    /** Makes the folder {@code demo} in a folder that goes with the database. */
    static PipelineFiles in(Path parent, String url) throws IOException {
        return new PipelineFiles(Files.createDirectory(parent.resolve("demo")), url);
    }

    /** A pipeline from the shop to the standard output, readable if that is a terminal. */
    Path forPeople() throws IOException {
        return write("pipeline.yaml", """
                pipeline: demo
                source:
                  postgres:
                    url: %s
                    tables: [shop.*]
                sink:
                  stdout:
                """);
    }

    /** The same as lines of JSON, for an engine that is killed again and again. */
    Path forKills() throws IOException {
        return write("pipeline.yaml", """
                pipeline: demo
                source:
                  postgres:
                    url: %s
                    tables: [shop.*]
                sink:
                  stdout:
                    style: json
                retry: {initial: 200ms, max: 1s}
                """);
    }

    /** A pipeline that reads all rows once, and ends. */
    Path forFinalTables() throws IOException {
        return write("final.yaml", """
                pipeline: demo_final
                source:
                  postgres:
                    url: %s
                    tables: [shop.*]
                    snapshot: only
                sink:
                  stdout:
                    style: json
                """);
    }

    @Override
    public void close() throws IOException {
        try (Stream<Path> paths = Files.walk(folder)) {
            for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }

    private Path write(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text.formatted(url));
    }
}
