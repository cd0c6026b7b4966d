package io.tidegate.testkit.mutant;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A piece of a real source file, found there exactly once, and the text in its place.
 *
 * @param file the source file, from the root of the sources on
 * @param find the text that is replaced
 * @param put the text in its place
 */
public record Replacement(String file, String find, String put) {

    /** The changed source; an {@link AssertionError} unless its text is there exactly once. */
    String changedSource() throws IOException {
        String source = Files.readString(root().resolve(file));
        int first = source.indexOf(find);
        if (first < 0 || first != source.lastIndexOf(find)) {
            throw new AssertionError("not found exactly once in " + file + ": " + find);
        }
        return source.replace(find, put);
    }

    /** The directory that holds the modules, wherever below it a test is started. */
    public static Path root() {
        for (Path at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
            if (Files.isDirectory(at.resolve("engine/src/main/java"))) {
                return at;
            }
        }
        throw new IllegalStateException("the sources are not above the working directory");
    }
}
