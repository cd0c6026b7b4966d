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

    /** Another process: takes the lock, or says who has it, and lets go when its input ends. */
    static final class Holder {
        private Holder() {}

        public static void main(String[] args) throws IOException {
            try (Closeable lock = new RealDisk().lock(Path.of(args[0]), "the other process")) {
                System.out.println(lock == null ? "none" : "taken");
                System.in.readAllBytes();
            } catch (Disk.HeldException e) {
                System.out.println("held by " + e.holder());
            }
        }
    }

    private interface WhileItRuns {
        void with(Process other, String said) throws Exception;
    }

    private static void inAnotherProcess(Path path, WhileItRuns body) throws Exception {
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
            body.with(other, String.valueOf(said.readLine()));
        } finally {
            other.destroyForcibly();
        }
    }

    private void isHeldBy(Path path, String holder) {
        Disk.HeldException held = catchThrowableOfType(Disk.HeldException.class, () -> disk().lock(path, "me too"));
        assertThat(held).isNotNull();
        assertThat(held.holder()).isEqualTo(holder);
    }

    @Test
    @Timeout(60)
    void namesTheProcessThatHoldsALockAndTakesItWhenThatIsGone() throws Exception {
        Path path = directory.resolve("lock");
        inAnotherProcess(path, (other, said) -> {
            assertThat(said).isEqualTo("taken");
            isHeldBy(path, "the other process");
            other.destroyForcibly().waitFor();
            try (Closeable lock = disk().lock(path, "me")) {
                assertThat(lock).isNotNull();
                assertThat(Files.readString(path)).isEqualTo("me\n");
            }
        });
    }

    @Test
    @Timeout(60)
    void keepsALockAgainstOthersAfterASecondOpenerWasRefusedInThisProcess() throws Exception {
        Path alias = directory.resolve("alias");
        Files.createDirectory(directory.resolve("real"));
        Files.createSymbolicLink(alias, directory.resolve("real"));
        Path path = directory.resolve("real/lock");
        Closeable earlier = disk().lock(path, "me");
        earlier.close();
        try (Closeable lock = disk().lock(path, "me")) {
            assertThat(lock).isNotNull();
            earlier.close();
            isHeldBy(path, "me");
            isHeldBy(alias.resolve("lock"), "me");
            inAnotherProcess(path, (other, said) -> assertThat(said).isEqualTo("held by me"));
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
