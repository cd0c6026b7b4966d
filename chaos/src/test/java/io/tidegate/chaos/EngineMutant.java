package io.tidegate.chaos;

import io.tidegate.testkit.mutant.MutantCompiler;
import io.tidegate.testkit.mutant.Replacement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * A rule of the product that is broken on purpose, for a scenario to notice.
 *
 * @param broken what it does, for people
 * @param change of the source
 * @param caught a pattern of a part of the message by which the scenario fails
 */
record EngineMutant(String broken, Replacement change, String caught) {

    /** Compiles it into a folder that is put before the classes of the distribution. */
    Path compile(Path folder) throws IOException {
        for (Map.Entry<String, byte[]> compiled : MutantCompiler.compile(change).entrySet()) {
            Path file = folder.resolve(compiled.getKey().replace('.', '/') + ".class");
            Files.createDirectories(file.getParent());
            Files.write(file, compiled.getValue());
        }
        return folder;
    }
}
