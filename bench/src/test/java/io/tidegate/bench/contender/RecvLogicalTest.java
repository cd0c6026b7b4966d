package io.tidegate.bench.contender;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RecvLogicalTest {

    @TempDir
    private Path folder;

    @Test
    void takesTheNewestInstalledOneBeforeThatOnThePath() throws IOException {
        program("installed/9/bin");
        Path newest = program("installed/17/bin");
        Files.createDirectories(folder.resolve("installed/18/bin"));
        Files.createDirectories(folder.resolve("installed/old"));
        program("path");
        assertEquals(Optional.of(newest), find("path"));
    }

    @Test
    void takesTheFirstOneOnThePathWhenNoneIsInstalled() throws IOException {
        Files.createDirectories(folder.resolve("empty"));
        Path first = program("first");
        program("second");
        assertEquals(
                Optional.of(first),
                RecvLogical.find(
                        folder.resolve("installed"),
                        String.join(
                                File.pathSeparator,
                                "",
                                folder.resolve("empty").toString(),
                                folder.resolve("first").toString(),
                                folder.resolve("second").toString())));
    }

    @Test
    void saysThatThereIsNone() throws IOException {
        Path file = program("path");
        Files.delete(file);
        assertEquals(Optional.empty(), find("path"));
        assertEquals(Optional.empty(), RecvLogical.find(folder.resolve("installed"), ""));
    }

    private Optional<Path> find(String onPath) {
        return RecvLogical.find(
                folder.resolve("installed"), folder.resolve(onPath).toString());
    }

    private Path program(String in) throws IOException {
        Path file = Files.createDirectories(folder.resolve(in)).resolve("pg_recvlogical");
        Files.writeString(file, "");
        file.toFile().setExecutable(true);
        return file;
    }
}
