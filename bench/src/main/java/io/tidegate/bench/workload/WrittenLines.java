package io.tidegate.bench.workload;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What a contender that writes files left there.
 *
 * @param last the last line of the last file by name
 */
record WrittenLines(long count, String last) {

    /** Reads all files of a folder; empty if it is not there. */
    static Optional<WrittenLines> in(Path folder) {
        if (!Files.isDirectory(folder)) {
            return Optional.empty();
        }
        try (Stream<Path> entries = Files.list(folder)) {
            List<Path> files = entries.filter(path -> path.toString().contains(".jsonl"))
                    .sorted()
                    .toList();
            long count = 0;
            String last = "";
            for (Path file : files) {
                try (BufferedReader lines = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
                    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                        count++;
                        last = line;
                    }
                }
            }
            return Optional.of(new WrittenLines(count, last));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
