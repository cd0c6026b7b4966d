package io.tidegate.testkit.explore;

import io.tidegate.engine.gate.Gate;
import io.tidegate.spi.Position;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.jspecify.annotations.NullMarked;

/** Compiles one changed source file in memory, and loads core and world anew around it. */
final class MutantCompiler {

    private MutantCompiler() {}

    /** The source with the mutant in it; an {@link AssertionError} unless its text is there exactly once. */
    static String mutate(Mutant mutant) throws IOException {
        String source = Files.readString(root().resolve(mutant.file()));
        int first = source.indexOf(mutant.find());
        if (first < 0 || first != source.lastIndexOf(mutant.find())) {
            throw new AssertionError("not found exactly once in " + mutant.file() + ": " + mutant.find());
        }
        return source.replace(mutant.find(), mutant.put());
    }

    /** A loader in which the classes of core and exploration are their own, the mutant's among them. */
    static ClassLoader load(Mutant mutant) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter messages = new StringWriter();
        try (Outputs outputs = new Outputs(compiler.getStandardFileManager(null, null, null))) {
            List<String> options = List.of("-nowarn", "-proc:none", "-implicit:none", "-cp", classPath());
            Source source = new Source(mutant.file(), mutate(mutant));
            if (!compiler.getTask(messages, outputs, null, options, null, List.of(source))
                    .call()) {
                throw new AssertionError("the mutant does not compile: " + messages);
            }
            return new Loader(outputs.classes());
        }
    }

    /** The directory that holds the modules, wherever below it a test is started. */
    static Path root() {
        for (Path at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
            if (Files.isDirectory(at.resolve("engine/src/main/java"))) {
                return at;
            }
        }
        throw new IllegalStateException("the sources are not above the working directory");
    }

    private static String classPath() {
        return Stream.of(Gate.class, World.class, Position.class, NullMarked.class)
                .map(MutantCompiler::origin)
                .collect(Collectors.joining(System.getProperty("path.separator")));
    }

    private static String origin(Class<?> type) {
        try {
            return Path.of(type.getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI())
                    .toString();
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    private static final class Source extends SimpleJavaFileObject {
        private final String text;

        Source(String file, String text) {
            super(URI.create("string:///" + file), Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }

    private static final class Outputs extends ForwardingJavaFileManager<JavaFileManager> {
        private final Map<String, ByteArrayOutputStream> compiled = new HashMap<>();

        Outputs(JavaFileManager files) {
            super(files);
        }

        @Override
        public JavaFileObject getJavaFileForOutput(
                Location location, String name, JavaFileObject.Kind kind, FileObject sibling) {
            return new SimpleJavaFileObject(URI.create("mem:///" + name.replace('.', '/')), kind) {
                @Override
                public OutputStream openOutputStream() {
                    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                    compiled.put(name, bytes);
                    return bytes;
                }
            };
        }

        Map<String, byte[]> classes() {
            Map<String, byte[]> classes = new HashMap<>();
            compiled.forEach((name, bytes) -> classes.put(name, bytes.toByteArray()));
            return classes;
        }
    }

    private static final class Loader extends ClassLoader {
        private final Map<String, byte[]> mutated;

        Loader(Map<String, byte[]> mutated) {
            super(MutantCompiler.class.getClassLoader());
            this.mutated = mutated;
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            boolean ours =
                    name.startsWith("io.tidegate.engine.gate.") || name.startsWith("io.tidegate.testkit.explore.");
            if (!ours) {
                return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                Class<?> loaded = findLoadedClass(name);
                return loaded != null ? loaded : findClass(name);
            }
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            byte[] bytes = mutated.containsKey(name) ? mutated.get(name) : original(name);
            return defineClass(name, bytes, 0, bytes.length);
        }

        private byte[] original(String name) throws ClassNotFoundException {
            try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
                if (in == null) {
                    throw new ClassNotFoundException(name);
                }
                return in.readAllBytes();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
