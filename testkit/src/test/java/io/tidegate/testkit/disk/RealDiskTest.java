package io.tidegate.testkit.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tidegate.engine.env.RealDisk;
import io.tidegate.spi.Disk;
import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class RealDiskTest extends DiskContract {

    @TempDir
    private Path directory;

    @Override
    Disk disk() {
        return new RealDisk();
    }

    @Override
    Path directory() {
        return directory;
    }

    /** Another process: takes the lock, says so, and lets go when its input ends. */
    static final class Holder {
        private Holder() {}

        public static void main(String[] args) throws IOException {
            try (Closeable lock = new RealDisk().lock(Path.of(args[0]), "the other process")) {
                System.out.println(lock == null ? "none" : "held");
                System.in.readAllBytes();
            }
        }
    }

    @Test
    @Timeout(60)
    void namesTheProcessThatHoldsALock() throws Exception {
        Path path = directory.resolve("lock");
        Process other = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Holder.class.getName(),
                        path.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader said =
                new BufferedReader(new InputStreamReader(other.getInputStream(), StandardCharsets.UTF_8))) {
            assertThat(said.readLine()).isEqualTo("held");
            Disk.HeldException held = catchThrowableOfType(Disk.HeldException.class, () -> disk().lock(path, "me"));
            assertThat(held).isNotNull();
            assertThat(held.holder()).isEqualTo("the other process");
            other.destroyForcibly().waitFor();
            try (Closeable lock = disk().lock(path, "me")) {
                assertThat(lock).isNotNull();
                assertThat(Files.readString(path)).isEqualTo("me\n");
            }
        } finally {
            other.destroyForcibly();
        }
    }

    @Test
    void holdsALockUnderEachNameOfItsDirectory() throws IOException {
        Path alias = directory.resolve("alias");
        Files.createDirectory(directory.resolve("real"));
        Files.createSymbolicLink(alias, directory.resolve("real"));
        try (Closeable lock = disk().lock(directory.resolve("real/lock"), "me")) {
            assertThat(lock).isNotNull();
            assertThat(catchThrowableOfType(Disk.HeldException.class, () -> disk().lock(alias.resolve("lock"), "me")))
                    .isNotNull();
        }
    }

    @Test
    void neverTakesADirectoryThatCannotBeReadForAnEmptyOne() throws IOException {
        Path file = Files.createFile(directory.resolve("file"));
        assertThat(catchThrowableOfType(FileSystemException.class, () -> disk().exists(file.resolve("below"))))
                .isNotNull();
        assertThat(catchThrowableOfType(FileSystemException.class, () -> disk().list(file.resolve("below"))))
                .isNotNull();
    }

    @Test
    void namesThisProcess() throws IOException {
        assertThat(RealDisk.holder(Instant.parse("2026-03-04T05:06:07.89Z")))
                .startsWith("process " + ProcessHandle.current().pid())
                .endsWith(" since 2026-03-04T05:06:07Z");
    }
}
