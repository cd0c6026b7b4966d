package io.tidegate.testkit.mutant;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;

/** Loads the classes of some packages anew, in their changed form where there is one, and leaves the others to its parent. */
final class ChildFirstLoader extends ClassLoader {
    private final Map<String, byte[]> changed;
    private final List<String> prefixes;

    ChildFirstLoader(Map<String, byte[]> changed, List<String> prefixes) {
        super(MutantCompiler.class.getClassLoader());
        for (String name : changed.keySet()) {
            if (prefixes.stream().noneMatch(name::startsWith)) {
                throw new AssertionError("nothing would load the changed " + name);
            }
        }
        this.changed = changed;
        this.prefixes = prefixes;
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (prefixes.stream().noneMatch(name::startsWith)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            return loaded != null ? loaded : findClass(name);
        }
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
        byte[] bytes = changed.containsKey(name) ? changed.get(name) : original(name);
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
