package io.tidegate.testkit.mutant;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.StringWriter;
import java.net.URI;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** Compiles one changed source file in memory, against the class path of the running JVM. */
public final class MutantCompiler {

    private MutantCompiler() {}

    /**
     * A loader in which the classes of some packages are its own, the changed ones among them; all others are those of
     * the running JVM. Name every package whose classes use a changed one, the test's scenario too.
     *
     * @param prefixes how the names of its own classes begin, as in {@code io.tidegate.engine.gate.}
     */
    public static ClassLoader load(Replacement change, String... prefixes) throws IOException {
        return new ChildFirstLoader(compile(change), List.of(prefixes));
    }

    /** The changed classes, by their names. */
    public static Map<String, byte[]> compile(Replacement change) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter messages = new StringWriter();
        try (Outputs outputs = new Outputs(compiler.getStandardFileManager(null, null, null))) {
            String classPath = System.getProperty("java.class.path");
            List<String> options = List.of("-nowarn", "-proc:none", "-implicit:none", "-cp", classPath);
            Source source = new Source(change.file(), change.changedSource());
            if (!compiler.getTask(messages, outputs, null, options, null, List.of(source))
                    .call()) {
                throw new AssertionError("the mutant does not compile: " + messages);
            }
            return outputs.classes();
        }
    }

    /** As {@link #load}, with nothing changed: the control of a mutant, by the same way. */
    public static ClassLoader loadUnchanged(String... prefixes) {
        return new ChildFirstLoader(Map.of(), List.of(prefixes));
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
}
